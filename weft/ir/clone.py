"""Copies of instructions, blocks and functions, with a map from old values to new ones."""

from collections.abc import Container, Iterator, Sequence

from weft.recursion import Definition, Recursion

from .builder import Builder
from .function import Block, Function, Module, Origin
from .instruction import Instruction
from .values import Value

ValueMap = dict[Value, Value]


def clone_instruction(instruction: Instruction, values: ValueMap) -> Instruction:
    """Copy an instruction with mapped operands; operands without an entry in the map are kept."""
    new = _bare_copy(instruction)
    new.set_operands([values.get(o, o) for o in instruction.operands])
    return new


def _bare_copy(instruction: Instruction) -> Instruction:
    """Copy an instruction without operands."""
    return Instruction(
        instruction.opcode,
        instruction.type,
        (),
        instruction.name,
        instruction.flags,
        dict(instruction.attributes),
        dict(instruction.metadata),
    )


def recompute(b: Builder, value: Value, inside: Container[Block], known: ValueMap) -> Value | None:
    """Recompute a value of some blocks at another place; return None if it depends on memory.

    `known` maps values of the blocks to their replacements, such as phis of a loop. Other phis must be in
    blocks with a single predecessor.
    """

    def copied(value: Value) -> Definition[Value, Value | None]:
        if not isinstance(value, Instruction) or value.block not in inside:
            return value
        operands: ValueMap = {}
        for operand in value.operands:
            copy = yield operand
            if copy is None:
                return None
            operands[operand] = copy
        if value.info.reads or value.info.writes:
            return None
        if value.opcode == "phi":
            return operands[value.operands[0]]
        return b.insert(clone_instruction(value, operands))

    start: dict[Value, Value | None] = dict(known)
    return Recursion(copied, None, start)(value)


def clone_blocks(
    blocks: Sequence[Block], function: Function, values: ValueMap, purpose: str = ""
) -> list[Block]:
    """Copy blocks to the end of `function`, adding them and their instructions to `values`.

    With a purpose, copies record their origin, and are named after both. Edges and operands that leave the
    copied blocks are mapped by `values`, or kept if it has no entry. The caller must update phis of blocks
    outside.
    """
    copies = []
    for block in blocks:
        suffix = f".{purpose}" if purpose else ""
        copy = function.add_block(block.name + suffix if block.name else None)
        copy.origin = Origin(block, purpose) if purpose else None
        values[block] = copy
        copies.append(copy)
    pairs: list[tuple[Instruction, Instruction]] = []
    for block, copy in zip(blocks, copies, strict=True):
        for instruction in block.instructions:
            new = _bare_copy(instruction)
            copy.append(new)
            values[instruction] = new
            pairs.append((instruction, new))
    # Set operands when all copies exist, because phis use values that are defined later.
    for instruction, new in pairs:
        new.set_operands([values.get(o, o) for o in instruction.operands])
    return copies


def origins(block: Block) -> Iterator[Origin]:
    """Yield the origin of a block, the origin of that, and so on."""
    while block.origin is not None:
        yield block.origin
        block = block.origin.block


def is_copy_for(block: Block, purpose: str) -> bool:
    """Return whether a block, or one that it is a copy of, was copied for a purpose."""
    return any(origin.purpose == purpose for origin in origins(block))


def clone_function(function: Function, name: str, module: Module | None = None) -> tuple[Function, ValueMap]:
    """Copy a function under another name, to the same module unless another is given.

    Globals, attribute groups and metadata that the copy refers to stay those of the first module.
    """
    target = module or function.module
    assert target is not None
    copy = target.add_function(name, function.function_type)
    copy.prefix, copy.suffix, copy.metadata = function.prefix, function.suffix, dict(function.metadata)
    values: ValueMap = {}
    for old, new in zip(function.arguments, copy.arguments, strict=True):
        new.name, new.attributes = old.name, old.attributes
        values[old] = new
    clone_blocks(function.blocks, copy, values)
    return copy, values
