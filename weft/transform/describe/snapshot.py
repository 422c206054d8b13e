"""Snapshots of a function for reports: its blocks with their text, source lines and successors."""

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, print_blocks
from weft.ir.names import unique_names
from weft.remarks import Remarks


@dataclass(frozen=True)
class BlockSnapshot:
    """A block as it was at some step: its instructions, their text and lines, and where it went."""

    name: str
    instructions: tuple[Instruction, ...]
    text: tuple[str, ...]
    lines: tuple[int, ...]
    successors: tuple[tuple[str, str], ...]


def snapshot(function: Function, remarks: Remarks) -> list[BlockSnapshot]:
    """A snapshot of the blocks of a function, with unique names."""
    names = unique_names(function)
    found = []
    for block, text in zip(function.blocks, print_blocks(function), strict=True):
        instructions = tuple(block.instructions)
        successors = tuple((names[target], label) for target, label in _successors(block))
        lines = _lines(instructions, remarks)
        found.append(BlockSnapshot(names[block], instructions, text, lines, successors))
    return found


def _lines(instructions: tuple[Instruction, ...], remarks: Remarks) -> tuple[int, ...]:
    """The lines of the program that instructions come from, with those that call what was inlined."""
    found: set[int] = set()
    for instruction in instructions:
        place = remarks.location(instruction)
        while place is not None:
            if not place.file:
                found.add(place.line)
            place = place.caller
    return tuple(sorted(found))


def _successors(block: Block) -> list[tuple[Block, str]]:
    """The successors of a block, each with the values of the condition that lead there."""
    terminator = block.terminator
    if terminator.opcode == "br" and len(terminator.operands) == 3:
        labels = ["true", "false"]
    elif terminator.opcode == "switch":
        cases = terminator.operands[2::2]
        labels = ["default", *(str(getattr(c, "signed", "")) for c in cases)]
    else:
        labels = [""]
    joined: dict[Block, list[str]] = {}
    for target, label in zip(terminator.successors(), labels, strict=False):
        joined.setdefault(target, []).append(label)
    return [(target, ", ".join(found)) for target, found in joined.items()]
