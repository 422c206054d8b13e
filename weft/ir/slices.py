"""Backward slices of values, and removal of unused instructions."""

from collections.abc import Callable, Iterable

from .instruction import Instruction
from .values import Value


def backward_slice(
    values: Iterable[Value], includes: Callable[[Instruction], bool]
) -> dict[Instruction, None]:
    """The instructions that values are computed from, including themselves, among the included ones."""
    found: dict[Instruction, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value not in found and includes(value):
            found[value] = None
            work += value.operands
    return found


def erase_unused(value: Value) -> None:
    """Removes a value that nothing uses, and what only it was computed from; no accesses, calls or phis."""
    work = [value]
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or value.users or value.block is None:
            continue
        if value.info.reads or value.info.writes or value.is_terminator or value.opcode in ("phi", "alloca"):
            continue
        work += value.operands
        value.erase()
