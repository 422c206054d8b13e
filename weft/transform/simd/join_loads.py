"""Join a work-item's loads of contiguous elements into one load if lanes would gather each.

    a = p[0]; b = p[1]        v = load <2 x T> p; a = v.0; b = v.1

Each load with varying addresses is a gather. Two 32-bit elements, or four 16-bit ones, are gathered as one
64-bit element and separated by shuffles: the fields of a structure or the neighbours of a pixel cost one
gather instead of one each, and 8- and 16-bit elements, for which processors have no gathers, need no loop
over the lanes.

Joined loads are in one block, without a possible write to memory in between, at constant offsets from a
varying address that is not linear. Exactly the same bytes are loaded as before. Requires a work-item loop
that is about to be vectorized. Linear in the size of the loop.
"""

from collections.abc import Iterator

from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import has_no_effects
from weft.dataclasses import dataclass, field
from weft.ir import Block, Instruction, Value
from weft.ir.addresses import constant_distance
from weft.ir.builder import Builder
from weft.ir.loops import Loop
from weft.ir.types import I32, Type, VectorType, size_of
from weft.ir.values import const_int

from .lane_accesses import is_of_whole_bytes

# Maximal number of bytes per load of a lane: what processors gather as one element.
MOST_BYTES = 8
LEAST_BYTES = 4


@dataclass
class _Group:
    """Loads of one type from a base, by their offset from it in bytes."""

    loads: dict[int, list[Instruction]] = field(default_factory=dict)

    def runs(self, size: int) -> Iterator[list[int]]:
        """Return runs of two or more offsets of contiguous elements."""
        run: list[int] = []
        for offset in sorted(self.loads):
            if run and (offset != run[-1] + size or (len(run) + 1) * size > MOST_BYTES):
                yield from _whole_parts(run, size)
                run = []
            run.append(offset)
        yield from _whole_parts(run, size)


def _whole_parts(run: list[int], size: int) -> Iterator[list[int]]:
    """Return the longest prefix of a run that has the size of an integer, if it has at least two elements."""
    count = 1 << (len(run).bit_length() - 1) if run else 0
    if count > 1 and count * size >= LEAST_BYTES:
        yield run[:count]


def join_loads(loop: Loop, shape: Lanes) -> int:
    """Join neighbouring loads of a work-item loop; return the number of vector loads."""
    return sum(_join_in_block(block, shape) for block in loop.blocks)


def joined_loads(loop: Loop, shape: Lanes) -> frozenset[Instruction]:
    """Return the loads of a work-item loop that would need no gather of their own."""
    joined: list[Instruction] = []
    for groups in (groups for block in loop.blocks for groups in _groups(block, shape)):
        for (_, type), group in groups.items():
            for run in group.runs(size_of(type)):
                joined += [i for offset in run for i in group.loads[offset]][1:]
    return frozenset(joined)


def _join_in_block(block: Block, shape: Lanes) -> int:
    return sum(_join_groups(groups, block) for groups in list(_groups(block, shape)))


def _groups(block: Block, shape: Lanes) -> Iterator[dict[tuple[Value, Type], _Group]]:
    """Return the loads between two possible writes, by base and type."""
    groups: dict[tuple[Value, Type], _Group] = {}
    for i in block.instructions:
        if _is_candidate(i, shape):
            base, offset = constant_distance(i.operands[0])
            groups.setdefault((base, i.type), _Group()).loads.setdefault(offset, []).append(i)
        elif groups and _may_write(i):
            yield groups
            groups = {}
    yield groups


def _is_candidate(i: Instruction, shape: Lanes) -> bool:
    plain = i.opcode == "load" and not i.is_ordered and is_of_whole_bytes(i.type)
    return plain and shape.is_varying(i.operands[0])


def _may_write(i: Instruction) -> bool:
    if i.opcode == "call":
        return not has_no_effects(i)
    return i.opcode in ("store", "atomicrmw", "cmpxchg", "fence")


def _join_groups(groups: dict[tuple[Value, Type], _Group], block: Block) -> int:
    joined = 0
    for (base, type), group in groups.items():
        for run in group.runs(size_of(type)):
            _join(base, type, [group.loads[offset] for offset in run], run[0], block)
            joined += 1
    return joined


def _join(base: Value, type: Type, loads: list[list[Instruction]], offset: int, block: Block) -> None:
    """Insert one load for the loads of all elements before the first of them."""
    order = {i: n for n, i in enumerate(block.instructions)}
    all_loads = [i for same in loads for i in same]
    first = min(all_loads, key=lambda i: order[i])
    b = Builder(block, first)
    pointer = b.byte_offset(base, offset) if offset else base
    vector = b.load(VectorType(type, len(loads)), pointer, min(i.attributes["align"] for i in all_loads))
    if "llvm.access.group" in first.metadata:
        vector.metadata["llvm.access.group"] = first.metadata["llvm.access.group"]
    elements = [b.emit("extractelement", type, [vector, const_int(I32, n)]) for n in range(len(loads))]
    for element, same in zip(elements, loads, strict=True):
        for i in same:
            i.replace_all_uses_with(element)
            i.erase()
