"""Snapshots of a function for reports: its blocks with their text, source lines and successors."""

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, print_blocks
from weft.ir.names import unique_names
from weft.remarks import Remarks


@dataclass(frozen=True)
class BlockSnapshot:
    """A block at some step of the pipeline: its instructions, their text and lines, and its successors."""

    name: str
    instructions: tuple[Instruction, ...]
    text: tuple[str, ...]
    lines: tuple[int, ...]
    successors: tuple[tuple[str, str], ...]


def snapshot(function: Function, remarks: Remarks) -> list[BlockSnapshot]:
    """Return a snapshot of the blocks of a function, with unique names."""
    names = unique_names(function)
    snapshots = []
    for block, text in zip(function.blocks, print_blocks(function), strict=True):
        instructions = tuple(block.instructions)
        successors = tuple((names[target], label) for target, label in _successors(block))
        lines = _lines(instructions, remarks)
        snapshots.append(BlockSnapshot(names[block], instructions, text, lines, successors))
    return snapshots


def _lines(instructions: tuple[Instruction, ...], remarks: Remarks) -> tuple[int, ...]:
    """Return the source lines of instructions, including those of calls that were inlined."""
    lines: set[int] = set()
    for instruction in instructions:
        place = remarks.location(instruction)
        while place is not None:
            if not place.file:
                lines.add(place.line)
            place = place.caller
    return tuple(sorted(lines))


def _successors(block: Block) -> list[tuple[Block, str]]:
    """Return the successors of a block, each with the condition values that lead there."""
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
    return [(target, ", ".join(values)) for target, values in joined.items()]
