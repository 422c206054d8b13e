"""A fast, coarser divergence analysis for the baseline tier.

It applies the rules of `divergence.py` for data, control and memory without shapes: a value computed from a
divergent value is divergent, and so is every load from private memory. A value that the shape analysis finds
divergent is divergent here too; some that it finds uniform are as well.

Requires nothing; LCSSA form makes it more precise. Complexity: each value and each branch is followed once.
"""

from weft.ir import Block, Function, Instruction, Value
from weft.ir.types import VOID
from weft.ir.values import ConstantInt

from .control_divergence import ControlDivergence
from .divergence import Divergence
from .group_functions import UNIFORM
from .memory_effects import UnchangingMemory, has_no_effects
from .work_items import work_item_function

_DIFFERING = frozenset(("alloca", "atomicrmw", "cmpxchg"))


def rough_divergence(function: Function, local_size: tuple[int, int, int] | None = None) -> Divergence:
    """Analyse a kernel, for groups of a local size if it is given: ids are uniform where the size is 1."""
    unchanging = UnchangingMemory(function)
    control = ControlDivergence(function)
    values: set[Value] = set()
    blocks: set[Block] = set()
    stack = [i for i in function.instructions() if _starts(i, unchanging, local_size)]
    while stack:
        value = stack.pop()
        if value in values:
            continue
        values.add(value)
        for user in value.users:
            if user.is_terminator:
                branch = user.block
                assert branch is not None
                if user.operands[0] is value and len(branch.successors()) > 1:
                    effect = control.effect(branch)
                    stack += effect.values
                    blocks.update(effect.blocks)
            elif user.type is not VOID:
                stack.append(user)
    return Divergence(frozenset(values), frozenset(blocks))


def _starts(
    instruction: Instruction, unchanging: UnchangingMemory, local_size: tuple[int, int, int] | None
) -> bool:
    """Whether a value differs between work-items even if its operands do not."""
    opcode = instruction.opcode
    if opcode == "load":
        return UNIFORM not in instruction.metadata and not unchanging.reads(instruction)
    if opcode != "call":
        return opcode in _DIFFERING
    if instruction.type is VOID:
        return False
    query = work_item_function(instruction)
    if query is not None:
        dimension = instruction.arguments[0] if query.takes_dimension else None
        if query.varying and local_size is not None and isinstance(dimension, ConstantInt):
            return dimension.value < 3 and local_size[dimension.value] > 1
        return query.varying
    return not has_no_effects(instruction) and not unchanging.is_read_by(instruction)
