"""Backward slices: what values are computed from."""

from collections.abc import Callable, Iterable

from .instruction import Instruction
from .values import Value


def backward_slice(
    values: Iterable[Value], includes: Callable[[Instruction], bool]
) -> dict[Instruction, None]:
    """The instructions that values are computed from, themselves among them, as far as they are included."""
    found: dict[Instruction, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value not in found and includes(value):
            found[value] = None
            work += value.operands
    return found
