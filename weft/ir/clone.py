"""Copies of instructions, blocks and functions, with a map from old values to new ones."""

from collections.abc import Sequence

from .function import Block, Function, Module
from .instruction import Instruction
from .values import Value

ValueMap = dict[Value, Value]


def clone_instruction(instruction: Instruction, values: ValueMap) -> Instruction:
    """A copy whose operands are mapped; operands without an entry in the map stay."""
    return Instruction(
        instruction.opcode,
        instruction.type,
        [values.get(o, o) for o in instruction.operands],
        instruction.name,
        instruction.flags,
        dict(instruction.attributes),
        dict(instruction.metadata),
    )


def clone_blocks(
    blocks: Sequence[Block], function: Function, values: ValueMap, suffix: str = ""
) -> list[Block]:
    """Copies blocks to the end of `function`, adding them and their instructions to `values`.

    Edges and operands that lead out of the copied blocks are mapped by what `values` holds, else kept.
    Phis of blocks outside are the caller's business.
    """
    copies = []
    for block in blocks:
        copy = function.add_block(block.name + suffix if block.name else None)
        values[block] = copy
        copies.append(copy)
    made: list[Instruction] = []
    for block, copy in zip(blocks, copies, strict=True):
        for instruction in block.instructions:
            new = clone_instruction(instruction, values)
            copy.append(new)
            values[instruction] = new
            made.append(new)
    for new in made:  # operands defined later than their use: phis, and blocks out of dominance order
        for index, operand in enumerate(new.operands):
            mapped = values.get(operand)
            if mapped is not None and mapped is not operand:
                new.set_operand(index, mapped)
    return copies


def clone_function(function: Function, name: str, module: Module | None = None) -> tuple[Function, ValueMap]:
    """A copy of a function under another name, in the same module unless another is given."""
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
