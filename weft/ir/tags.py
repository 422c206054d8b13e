"""Numbers by which remarks refer to memory accesses and parallel regions.

They are instruction metadata, which copies keep: a remark about a copy refers to the access, or to the
work-item loop of the region, with that number. Only compilations with a remark collector have them.
"""

from .function import Function, Module
from .instruction import Instruction
from .loops import Loop
from .metadata import integer_node, node_integers

ACCESS = "weft.access"
_REGION = "weft.region"


def number_accesses(function: Function, module: Module) -> dict[Instruction, int]:
    """Number the instructions that may access memory."""
    numbers: dict[Instruction, int] = {}
    for instruction in function.instructions():
        if instruction.opcode in ("load", "store", "atomicrmw", "cmpxchg", "call"):
            numbers[instruction] = len(numbers)
            _set(instruction, ACCESS, numbers[instruction], module)
    return numbers


def access_number(instruction: Instruction, module: Module) -> int | None:
    """Return the number of an access, or of the access that it is a copy of."""
    return _get(instruction, ACCESS, module)


def number_region(latch: Instruction, region: int, module: Module) -> None:
    """Record the region of a work-item loop, given the branch of its latch."""
    _set(latch, _REGION, region, module)


def region_number(loop: Loop, module: Module) -> int | None:
    """Return the region of a work-item loop."""
    return _get(loop.latches[0].terminator, _REGION, module)


def _set(instruction: Instruction, kind: str, number: int, module: Module) -> None:
    instruction.metadata[kind] = integer_node(module, number)


def _get(instruction: Instruction, kind: str, module: Module) -> int | None:
    node = instruction.metadata.get(kind)
    return node_integers(module, node)[0] if node is not None else None
