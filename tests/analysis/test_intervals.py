"""Intervals hold every number that an expression gives, and none of its sums and products wraps."""

import random

import pytest

from weft import ir
from weft.analysis.evaluation import Evaluation
from weft.analysis.intervals import Intervals
from weft.integers import signed
from weft.ir import Instruction, Value
from weft.ir.types import IntType

INPUTS = range(0, 256, 5)


def _expression(pick: random.Random) -> str:
    """A chain of operations on two bytes, in 16 bits: those whose numbers wrap, and those that do not."""
    lines = [f"%v{n} = {pick.choice(('zext', 'sext'))} i8 %{name} to i16" for n, name in enumerate("xy")]
    for number in range(2, 9):
        left, right = (f"%v{pick.randrange(number)}" for _ in range(2))
        lines.append(
            f"%v{number} = "
            + pick.choice(
                (
                    f"add i16 {left}, {right}",
                    f"sub i16 {left}, {pick.choice((right, '-3', '100'))}",
                    f"mul i16 {left}, {pick.choice((right, '-5', '3'))}",
                    f"shl i16 {left}, {pick.choice((1, 4, 9, 15))}",
                    f"lshr i16 {left}, {pick.choice((1, 8))}",
                    f"and i16 {left}, {pick.choice((255, 16384, -2))}",
                )
            )
        )
    body = "\n  ".join(lines)
    return f"define i16 @f(i8 %x, i8 %y) {{\n  {body}\n  ret i16 %v8\n}}\n"


def _exact(i: Instruction, numbers: list[int]) -> int:
    """What a sum or product of signed numbers is if nothing wraps."""
    left, right = numbers
    return {"add": left + right, "sub": left - right, "mul": left * right, "shl": left << max(right, 0)}[
        i.opcode
    ]


@pytest.mark.parametrize("seed", range(40))
def test_numbers_lie_in_their_intervals(seed: int) -> None:
    function = ir.parse(_expression(random.Random(seed))).function("f")
    x, y = function.arguments
    intervals = Intervals()
    for first in INPUTS:
        for second in INPUTS[:: 1 + seed % 7]:
            given: dict[Value, int] = {x: first, y: second}
            of = Evaluation(given.get).of
            for i in function.entry.instructions[:-1]:
                found, number = intervals.of(i), of(i)
                if found is None or number is None:
                    continue
                assert isinstance(i.type, IntType)
                assert found[0] <= signed(number, i.type.bits) <= found[1]
                operands = [intervals.of(o) for o in i.operands]
                if i.opcode in ("add", "sub", "mul", "shl") and None not in operands:
                    numbers = [signed(of(o) or 0, 16) for o in i.operands]
                    assert _exact(i, numbers) == signed(number, 16)


def test_what_is_known_of_leaves_is_used() -> None:
    function = ir.parse("define i32 @f(i32 %n) {\n  %m = mul i32 %n, 3\n  ret i32 %m\n}\n").function("f")
    (product, _) = function.entry.instructions
    assert Intervals().of(product) is None
    assert Intervals(known={function.arguments[0]: (-2, 10)}).of(product) == (-6, 30)
    assert Intervals(lambda i: (0, 7)).of(product) == (0, 7)
