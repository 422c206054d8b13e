"""Backward slices of values, chains of operations, and removal of unused instructions."""

from collections.abc import Callable, Container, Iterable

from .instruction import Instruction
from .values import Value


def backward_slice(
    values: Iterable[Value], includes: Callable[[Instruction], bool]
) -> dict[Instruction, None]:
    """Return the instructions that values are computed from, themselves included, as far as `includes`
    allows."""
    result: dict[Instruction, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value not in result and includes(value):
            result[value] = None
            work += value.operands
    return result


def chain_start(value: Value, opcodes: Container[str]) -> Value:
    """Return the value from which a chain of operations leads to another one by their first operands."""
    while isinstance(value, Instruction) and value.opcode in opcodes:
        value = value.operands[0]
    return value


def erase_unused(value: Value) -> None:
    """Erase a value without uses, and operands that become unused; accesses, calls and phis are kept."""
    work = [value]
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or value.users or value.block is None:
            continue
        if value.info.reads or value.info.writes or value.is_terminator or value.opcode in ("phi", "alloca"):
            continue
        work += value.operands
        value.erase()
