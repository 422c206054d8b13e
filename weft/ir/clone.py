"""Copies of instructions, blocks and functions, with a map from old values to new ones."""

from collections.abc import Container, Iterator, Sequence

from weft.recursion import Definition, Recursion

from .builder import Builder
from .function import Block, Function, Module, Origin
from .instruction import Instruction
from .values import Value

ValueMap = dict[Value, Value]


def clone_instruction(instruction: Instruction, values: ValueMap) -> Instruction:
    """A copy whose operands are mapped; operands without an entry in the map stay."""
    new = _bare_copy(instruction)
    new.set_operands([values.get(o, o) for o in instruction.operands])
    return new


def _bare_copy(instruction: Instruction) -> Instruction:
    """A copy without operands."""
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
    """Compute a value of some blocks at another place; None if it depends on memory.

    `known` has what stands there for values of the blocks, such as the phis of a loop. Other phis are those
    of blocks with one way in.
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

    With a purpose, the copies know what they are copies of, and are named after both.
    Edges and operands that lead out of the copied blocks are mapped by what `values` holds, else kept.
    Phis of blocks outside are the caller's business.
    """
    copies = []
    for block in blocks:
        suffix = f".{purpose}" if purpose else ""
        copy = function.add_block(block.name + suffix if block.name else None)
        copy.origin = Origin(block, purpose) if purpose else None
        values[block] = copy
        copies.append(copy)
    made: list[tuple[Instruction, Instruction]] = []
    for block, copy in zip(blocks, copies, strict=True):
        for instruction in block.instructions:
            new = _bare_copy(instruction)
            copy.append(new)
            values[instruction] = new
            made.append((instruction, new))
    # Operands come when all copies are known, because phis use values that are defined below them.
    for instruction, new in made:
        new.set_operands([values.get(o, o) for o in instruction.operands])
    return copies


def origins(block: Block) -> Iterator[Origin]:
    """What a block is a copy of, what that is a copy of, and so on."""
    while block.origin is not None:
        yield block.origin
        block = block.origin.block


def is_copy_for(block: Block, purpose: str) -> bool:
    """Whether a block, or what it is a copy of, was copied for a purpose."""
    return any(origin.purpose == purpose for origin in origins(block))


def clone_function(function: Function, name: str, module: Module | None = None) -> tuple[Function, ValueMap]:
    """A copy of a function under another name, in the same module unless another is given.

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
