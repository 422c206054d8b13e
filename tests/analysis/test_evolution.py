"""Strides by iteration are those of the numbers that random code computes, flags and wrap-around included."""

import random
from itertools import pairwise

import pytest

from weft import ir
from weft.analysis.evaluation import Evaluation
from weft.analysis.evolution import Evolution, LikelyStrides, LoopEvolution, Wrapping
from weft.integers import signed
from weft.ir import Instruction, Value
from weft.ir.loops import loop_forest
from weft.ir.types import IntType

LOOP = """define void @f(i8 %u, i8 %w) {{
entry:
  br label %head
head:
  %k = phi i8 [ 0, %entry ], [ %next, %head ]
  {code}
  %next = add nsw i8 %k, 1
  %more = icmp slt i8 %next, 100
  br i1 %more, label %head, label %end
end:
  ret void
}}"""
FLAGS = {
    "add": ("nsw", "nuw"), "sub": ("nsw", "nuw"), "mul": ("nsw", "nuw"), "shl": ("nsw", "nuw"),
    "or": ("disjoint",), "and": (), "xor": (), "lshr": (), "ashr": (), "zext": ("nneg",), "sext": (),
    "trunc": ("nsw", "nuw"),
}  # fmt: skip
OPCODES = ("add", "sub", "mul", "shl", "or", "ashr", "lshr", "and", "select", "xor", *3 * ("cast",))


def _code(rng: random.Random, count: int) -> str:
    """Random operations on i8, i16 and i32, of which most are linear."""
    values = {8: ["%k", "%k", "%u", "%w"], 16: [], 32: []}
    lines = []
    for number in range(count):
        opcode = rng.choice(
            [*("add", "sub", "mul", "shl", "or", "ashr", "lshr", "and", "select", "xor")] + 3 * ["cast"]
        )
        bits = rng.choice([b for b, found in values.items() if found])
        a = rng.choice(values[bits])
        if opcode == "cast":
            to = rng.choice([b for b in values if b != bits])
            opcode = "trunc" if to < bits else rng.choice(("zext", "sext"))
        flags = " ".join(f for f in FLAGS.get(opcode, ()) if rng.random() < 0.5)
        if opcode in ("trunc", "zext", "sext"):
            lines.append(f"%v{number} = {opcode} {flags} i{bits} {a} to i{to}")
            bits = to
        elif opcode == "select":
            lines.append(f"%c{number} = icmp ult i8 {rng.choice(('%u', '%k'))}, %w")
            lines.append(
                f"%v{number} = select i1 %c{number}, i{bits} {a}, i{bits} {rng.choice(values[bits])}"
            )
        else:
            small = opcode in ("shl", "ashr", "lshr")
            other = str(rng.randrange(4) if small else rng.randrange(-4, 9))
            if not small and rng.random() < 0.5:
                other = rng.choice(values[bits])
            lines.append(f"%v{number} = {opcode} {flags} i{bits} {a}, {other}")
        values[bits].append(f"%v{number}")
    return "\n  ".join(lines)


def _iteration(inputs: dict[str | None, int], phi: Instruction, number: int) -> Evaluation:
    def given(value: Value) -> int | None:
        return number if value is phi else inputs.get(value.name)

    return Evaluation(given, flags=True)


@pytest.mark.parametrize("seed", range(40))
def test_strides_are_true(seed: int) -> None:
    rng = random.Random(seed)
    function = ir.parse(LOOP.format(code=_code(rng, 20))).functions[0]
    (loop,) = loop_forest(function).loops
    (phi,) = loop.header.phis()
    evolution = LoopEvolution(loop)
    body = [
        i for i in loop.header.instructions if isinstance(i.type, IntType) and i.name and i.name[0] == "v"
    ]
    claims = {i: found for i in body if (found := evolution.of(i)) is not None}
    assert all(not found.needs for found in claims.values())
    for _ in range(6):
        inputs: dict[str | None, int] = {"u": rng.randrange(256), "w": rng.randrange(256)}
        runs = [_iteration(inputs, phi, k) for k in range(100)]
        for i, found in claims.items():
            assert isinstance(i.type, IntType)
            numbers = [run.of(i) for run in runs]
            for before, after in pairwise(numbers):
                if before is not None and after is not None:
                    _check(found, before, after, i.type.bits, str(i))


def _check(found: Evolution, before: int, after: int, bits: int, text: str) -> None:
    assert (after - before - found.stride) % (1 << bits) == 0, text
    if found.signed:
        assert signed(after, bits) - signed(before, bits) == found.stride, text
    if found.unsigned:
        assert after - before == found.stride, text


KNOWN = {
    "%a = add nsw i8 %k, %u\n %v = sext i8 %a to i32": (1, 1),
    "%a = add i8 %k, %u\n %v = sext i8 %a to i32": (None, 1),
    "%a = mul nsw i8 %k, 3\n %b = sext i8 %a to i32\n %v = shl nsw i32 %b, 2": (12, 12),
    "%a = sub i8 %k, %k\n %v = zext i8 %a to i32": (0, 0),
    "%a = shl nsw i8 %k, 2\n %v = ashr i8 %a, 1": (None, 2),
    "%v = mul i8 %k, %u": (None, None),
    "%v = freeze i8 %k": (None, 1),
    "%c = icmp ult i8 %u, %w\n %a = add i8 %k, 1\n %v = select i1 %c, i8 %a, i8 %k": (1, 1),
}


@pytest.mark.parametrize("code", KNOWN)
def test_strides_with_and_without_wrapping(code: str) -> None:
    function = ir.parse(LOOP.format(code=code)).functions[0]
    (loop,) = loop_forest(function).loops
    value = next(i for i in loop.header.instructions if i.name == "v")
    found = [LoopEvolution(loop, w).of(value) for w in (Wrapping.VARIES, Wrapping.IGNORED)]
    assert tuple(f.stride if f is not None else None for f in found) == KNOWN[code]


def test_likely_strides() -> None:
    """`e / c * w + e % c - y` from lane to lane, of which only `e` is certain."""
    code = """%row = urem i8 %k, %u
  %column = udiv i8 %k, %u
  %first = mul i8 %column, %w
  %at = add i8 %first, %row
  %twice = mul i8 %row, 2
  %product = mul i8 %row, %u"""
    function = ir.parse(LOOP.format(code=code)).functions[0]
    (loop,) = loop_forest(function).loops
    (phi,) = loop.header.phis()
    certain = {v: Evolution(0) for v in function.arguments} | {phi: Evolution(1)}
    strides = LikelyStrides(
        lambda value: certain.get(value) if isinstance(value, Instruction) else Evolution(0)
    )
    names = {i.name: i for i in loop.header.instructions}
    assert {n: strides.of(names[n]) for n in ("row", "column", "first", "at", "twice", "product")} == {
        "row": {1}, "column": {0}, "first": {0}, "at": {1}, "twice": {2}, "product": None,
    }  # fmt: skip
    assert strides.are_consecutive(names["at"], 1) and not strides.are_consecutive(names["twice"], 1)
