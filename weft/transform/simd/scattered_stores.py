"""Stores of straight loops for which LLVM's vectorizer would scatter, and whether that alone costs too much.

LLVM takes a scatter for little more than a store to each lane. On Zen 4 one of 16 floats takes as long as 30
single stores: structures of eight floats of which three are changed take 0.15 ms for 65,536 work-items with
scatters, 0.07 one by one. It writes no scatter where the stores of a work-item fill all that lies between it
and the next: these go by whole registers and shuffles.
"""

from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import PRIVATE
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import VectorType, size_of

from .cost import SCATTER, scalar_cost

# LLVM spreads no elements over more registers than that.
MOST_APART = 8


def scatters_cost_more(loop: Loop, shape: Lanes, register_bits: int) -> bool:
    """Whether a loop costs less one work-item at a time than the scatters of its vector form alone."""
    instructions = [i for block in loop.blocks for i in block.instructions]
    scattered = [i for i in instructions if i.opcode == "store" and _is_apart(i, shape)]
    if not scattered:
        return False
    groups: dict[tuple[Value, int], dict[int, int]] = {}  # the sizes of what a work-item stores, by offset
    for store in scattered:
        if (group := _group(store, shape)) is not None:
            groups.setdefault(group[0], {})[group[1]] = size_of(store.operands[0].type)
    whole = {g for g, sizes in groups.items() if sum(sizes.values()) == g[1] and len(sizes) <= MOST_APART}
    left = [i for i in scattered if (group := _group(i, shape)) is None or group[0] not in whole]
    one_by_one = sum(scalar_cost(i, register_bits) for i in instructions if _counts(i, shape))
    return SCATTER * len(left) > one_by_one


def _counts(i: Instruction, shape: Lanes) -> bool:
    """Whether an instruction is work: not what an index is computed by, nor a way that all take."""
    return i.opcode in ("load", "store") or (len(i.operands) > 1 if i.is_terminator else shape.is_varying(i))


def _is_apart(store: Instruction, shape: Lanes) -> bool:
    """Whether lanes store neither to one place nor side by side; private memory is no buffer."""
    value, pointer = store.operands
    if isinstance(value.type, VectorType) or pointer.type.space == PRIVATE:  # type: ignore[attr-defined]
        return False
    found = shape.of(pointer)
    return found is None or abs(found.stride) not in (0, size_of(value.type))


def _group(store: Instruction, shape: Lanes) -> tuple[tuple[Value, int], int] | None:
    """What an address is a number of bytes behind, with the stride of the lanes; and that number."""
    pointer, found = store.operands[1], shape.of(store.operands[1])
    if found is None or store.block in shape.masked:
        return None
    offset = 0
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        index = pointer.operands[-1]
        if len(pointer.operands) != 2 or not isinstance(index, ConstantInt):
            break
        offset += index.signed * size_of(pointer.attributes["element_type"])
        pointer = pointer.operands[0]
    return (pointer, abs(found.stride)), offset
