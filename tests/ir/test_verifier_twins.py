"""The verifier judges every instruction, though it remembers what it has found to be right."""

from collections.abc import Callable

import pytest

from weft import ir
from weft.ir.instruction import Instruction
from weft.ir.types import I64
from weft.ir.values import const_int
from weft.ir.verifier import VerificationError, verify

_TWINS = """define i32 @twins(ptr %p, i32 %n) {
  %a = add nsw i32 %n, 1
  %b = add nsw i32 %n, 2
  %c = icmp eq i32 %n, 1
  %d = icmp eq i32 %n, 2
  %e = load i32, ptr %p, align 4
  %f = load i32, ptr %p, align 4
  ret i32 %f
}
"""


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("b", lambda i: setattr(i, "flags", ("nsw", "nsw"))),
        ("b", lambda i: setattr(i, "type", I64)),
        ("b", lambda i: i.set_operand(1, const_int(I64, 2))),
        ("d", lambda i: i.attributes.update(predicate="oeq")),
        ("f", lambda i: i.attributes.update(align=3)),
        ("f", lambda i: i.attributes.update(align=4.0)),
        ("f", lambda i: i.attributes.update(ordering="monotonic")),
        ("f", lambda i: i.set_operand(0, i.block.function.arguments[1])),
    ],
)
def test_a_broken_instruction_is_found_after_a_valid_one(
    name: str, damage: Callable[[Instruction], None]
) -> None:
    module = ir.parse(_TWINS)
    verify(module)
    (damaged,) = (i for i in module.function("twins").instructions() if i.name == name)
    damage(damaged)
    with pytest.raises(VerificationError):
        verify(module)
