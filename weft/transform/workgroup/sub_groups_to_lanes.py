"""Turn sub-group functions into operations across the lanes of vector code.

    %r = call float @_Z20sub_group_reduce_addf(float %x)
    %s = call float @_Z21sub_group_shuffle_xorfj(float %x, i32 1)
    %n = call i32 @_Z16get_sub_group_idv()

    %id = call i64 @_Z12get_local_idj(i32 0)           ; at the entry
    %x.id = trunc i64 %id to i32
    %lane = and i32 %x.id, 15
    %n = lshr i32 %x.id, 4
    %r = call float @weft.cross_lane.16.reduce.add.float(float %x)
    %place = xor i32 %lane, 1
    %s = call float @weft.cross_lane.16.shuffle.float(float %x, i32 %place)

A sub-group lies in one row of the work-group, so its work-items are the lanes of one vector iteration of a
work-item loop along x, and values are exchanged between lanes in registers (`analysis/cross_lane.py`,
`simd/wide_cross_lane.py`). For all later passes the kernel has no sub-groups: a region ends only at barriers
of the work-group. A barrier of a sub-group becomes one of the work-group.

`rows_of_sub_groups` tells for which launches this is possible, `why_not_in_lanes` for which kernels: not if
some work-items of the group may not reach a sub-group barrier together with the others, not for clusters of
unknown size, and not if a sub-group function is in code that has a copy for groups with finished work-items
(`stragglers.py`), which has no vector form. Other kernels take `lower_sub_group_functions`.

Requires that both permit it, and that all work-items of a sub-group reach a call together. Keeps LCSSA and
natural loops; runs before `isolate_barriers`. Linear. (Operations across lanes as in ispc: Pharr and Mark,
InPar 2012.)
"""

from collections.abc import Callable
from enum import unique
from functools import partial
from math import prod

from weft.analysis.barrier_cfg import barrier_cfg
from weft.analysis.cross_lane import CrossLane
from weft.analysis.divergence import Divergence, divergence
from weft.analysis.sub_group_functions import MASKS, SubGroupFunction, sub_group_function
from weft.analysis.work_items import SUB_GROUP_BARRIERS, BarrierOrigin, is_barrier, work_item_function
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_function
from weft.ir.types import I1, I32, FloatType
from weft.ir.values import const_int, zero_of
from weft.remarks import SILENT, Message, Reason, Remarks
from weft.transform.canonical.isolate_barriers import isolate_barriers

from .lower_group_functions import locate_new_instructions, query_call
from .lower_sub_group_functions import first_of_four, of_mask, place_of_source
from .place_implicit_barriers import barrier_call, place_implicit_barriers
from .stragglers import barriers_of_rest

LocalSize = tuple[int, int, int]

# Smaller sub-groups are not worth vector code.
_FEWEST = 4


@unique
class SubGroups(Message):
    """How sub-group functions run."""

    IN_LANES = "sub-groups of {size} work-items are SIMD lanes; their functions use registers"
    IN_MEMORY = "sub-group functions exchange values through memory: {why}"


@unique
class InMemory(Message):
    """Why sub-group functions exchange values through memory."""

    WAITS = "sub-groups may wait for one another"
    METHOD = "WEFT_WORKGROUP={method} disables lanes"
    LANES = "WEFT_LANES={lanes} differs from the sub-group size"
    INNERMOST = "WEFT_INNERMOST={dimension} is not x"
    UNROLLED = "WEFT_UNROLL={most} unrolls loops over rows of {row} work-items"
    UNKNOWN_SIZE = "the local size is not known"
    NO_ROWS = "sub-groups of {size} do not divide rows of {row} work-items"
    TOO_SMALL = "sub-groups have {size} work-items"
    BARRIER = "a sub-group barrier may be in divergent code"
    FINISHED = "work-items may return, or leave a loop, before a barrier that others reach"
    CLUSTER = "a cluster size is not a constant power of two that divides the sub-group size"
    NOT_VECTORIZED = "a region cannot run in lanes: {refusal}"


def rows_of_sub_groups(local_size: LocalSize | None, size: int) -> int | Reason:
    """Return the size of the sub-groups, if all have the same size and lie in one row; or why not."""
    if local_size is None:
        return Reason(InMemory.UNKNOWN_SIZE)
    row, *others = local_size
    if others == [1, 1]:
        size = min(size, row)
    if size < _FEWEST:
        return Reason(InMemory.TOO_SMALL, size=size)
    if size & (size - 1) or row % size:
        return Reason(InMemory.NO_ROWS, size=size, row=row)
    return size


def why_not_in_lanes(function: Function, size: int, local_size: LocalSize, wide: bool) -> Reason | None:
    """Return why a kernel's sub-group functions cannot become operations across lanes; None if they can."""
    barriers: list[Instruction] = []
    waits = False
    for i in function.instructions():
        called = sub_group_function(i.callee_name)
        if called is not None and called.kind == "clustered_reduce":
            cluster = i.arguments[1]
            if not isinstance(cluster, ConstantInt) or cluster.value not in _powers_up_to(size):
                return Reason(InMemory.CLUSTER)
        elif is_barrier(i):
            waits = True
            if i.callee_name in SUB_GROUP_BARRIERS:
                barriers.append(i)
    if not waits:
        return None
    analyse = partial(
        divergence, local_size=local_size, wide=wide, several_sub_groups=prod(local_size) > size
    )
    group = analyse(function)
    if not all(group.runs_uniformly(barrier.parent) for barrier in barriers):
        return Reason(InMemory.BARRIER)
    return Reason(InMemory.FINISHED) if _is_called_without_finished(function, analyse) else None


def _is_called_without_finished(function: Function, analyse: Callable[[Function], Divergence]) -> bool:
    """Whether code that has a copy for groups with finished work-items contains a sub-group function.

    The parallel regions are those of a copy of the kernel, which gets the barriers that they need.
    """
    module = function.parent
    before = set(module.globals)
    kernel, _ = clone_function(function, f"{function.name}.regions")
    isolate_barriers(kernel)
    place_implicit_barriers(kernel, analyse(kernel))
    cfg = barrier_cfg(kernel)
    rest = frozenset(barriers_of_rest(cfg))
    blocks = {block: None for region in cfg.regions if region.barrier in rest for block in region.blocks}
    found = any(sub_group_function(i.callee_name) is not None for b in blocks for i in b.instructions)
    module.remove(kernel)
    for declared in [f for f in module.functions if f.name not in before]:
        module.remove(declared)
    return found


def sub_groups_to_lanes(
    function: Function, size: int, local_size: LocalSize, remarks: Remarks = SILENT
) -> None:
    """Replace sub-group functions, queries and barriers, for sub-groups of `size` in one row each."""
    before = list(function.instructions())
    for call in before:
        called = sub_group_function(call.callee_name)
        if called is not None:
            _replace(call, _Lowering(call, called, size).run())
    _lower_queries(function, size, local_size)
    for barrier in [i for i in function.instructions() if i.callee_name in SUB_GROUP_BARRIERS]:
        Builder(barrier.parent, barrier).insert(barrier_call(function, BarrierOrigin.GROUP_FUNCTION))
        _erase(barrier)
    if any("dbg" in i.metadata for i in before):
        locate_new_instructions(function, frozenset(before))
    remarks.passed(SubGroups.IN_LANES, size=size)


def _replace(call: Instruction, by: Value) -> None:
    call.replace_all_uses_with(by)
    _erase(call)


def _erase(call: Instruction) -> None:
    callee = call.called_function
    assert callee is not None
    call.erase()
    if not callee.users and callee.module is not None:
        callee.module.remove(callee)


def _powers_up_to(size: int) -> list[int]:
    """Return the powers of two up to `size`."""
    return [1 << k for k in range(size.bit_length())]


class _Lowering:
    """Lowers one call."""

    def __init__(self, call: Instruction, function: SubGroupFunction, size: int) -> None:
        self.call, self.function, self.size = call, function, size
        self.b = Builder(call.parent, call)

    def run(self) -> Value:
        """Return the value that replaces the call."""
        b, kind, arguments = self.b, self.function.kind, self.call.arguments
        if kind in MASKS:
            return of_mask(self.call, kind)
        match kind:
            case "elect":
                first = b.icmp("eq", query_call(b, "get_sub_group_local_id"), const_int(I32, 0))
                return b.cast("zext", first, I32)
            case "ballot":
                return first_of_four(b, self.call, self._ballot(self._is_true(arguments[0])))
            case "all" | "any":
                return self._vote(kind, self._is_true(arguments[0]))
            case "all_equal":
                return self._vote("all", self._equals_first(arguments[0]))
            case "reduce" | "scan_inclusive" | "scan_exclusive":
                return self._combined(kind)
            case "clustered_reduce":
                return self._combined("cluster", arguments[1])
            case "broadcast" | "broadcast_first":
                return self._emit("broadcast", arguments[0], self._place(kind, arguments[1:]))
        return self._emit("shuffle", arguments[0], self._place(kind, arguments[1:]))

    def _emit(self, kind: str, value: Value, *rest: Value, operation: str = "") -> Value:
        """Emit an operation across lanes."""
        type = I32 if kind == "ballot" else value.type
        symbol = CrossLane(self.size, kind, operation).symbol(value.type)
        return self.b.call_symbol(symbol, type, [value, *rest], self.call.name, ("convergent",))

    def _place(self, kind: str, rest: list[Value]) -> Value:
        """Return the index, inside the sub-group, of the work-item whose value is read."""
        return self.b.binary("and", place_of_source(self.b, kind, rest), const_int(I32, self.size - 1))

    def _combined(self, kind: str, *rest: Value) -> Value:
        value, operation = self.call.arguments[0], self.function.operation
        if operation.startswith("logical_"):
            operation = operation.removeprefix("logical_")
            value = self.b.cast("zext", self._is_true(value), value.type)
        return self._emit(kind, value, *rest, operation=operation)

    def _ballot(self, holds: Value) -> Value:
        return self._emit("ballot", holds)

    def _vote(self, kind: str, holds: Value) -> Value:
        b, bits = self.b, self._ballot(holds)
        if kind == "any":
            result = b.icmp("ne", bits, const_int(I32, 0))
        else:
            result = b.icmp("eq", bits, const_int(I32, (1 << self.size) - 1))
        return b.cast("zext", result, I32, self.call.name)

    def _is_true(self, value: Value) -> Value:
        return self.b.icmp("ne", value, zero_of(value.type))

    def _equals_first(self, value: Value) -> Value:
        first = self._emit("broadcast", value, const_int(I32, 0))
        if isinstance(value.type, FloatType):
            return self.b.emit("fcmp", I1, [value, first], predicate="oeq")
        return self.b.icmp("eq", value, first)


def _lower_queries(function: Function, size: int, local_size: LocalSize) -> None:
    """Compute indices and numbers of sub-groups from local ids; sizes are constants."""
    queries = [(i, f.name) for i in function.instructions() if (f := work_item_function(i)) is not None]
    queries = [(i, name) for i, name in queries if "sub_group" in name]
    x, y, z = local_size
    entry = function.blocks[0]
    b = Builder(entry, entry.instructions[entry.first_non_phi])
    known: dict[str, Value] = {
        "get_sub_group_size": const_int(I32, size),
        "get_max_sub_group_size": const_int(I32, size),
        "get_num_sub_groups": const_int(I32, x * y * z // size),
        "get_enqueued_num_sub_groups": const_int(I32, x * y * z // size),
    }
    names = {name for _, name in queries}
    if names & {"get_sub_group_local_id", "get_sub_group_id"}:
        along = b.cast("trunc", query_call(b, "get_local_id", 0), I32, "x.id")
        known["get_sub_group_local_id"] = b.binary("and", along, const_int(I32, size - 1), "lane")
        if "get_sub_group_id" in names:
            known["get_sub_group_id"] = _number(b, along, size, local_size)
    for call, name in queries:
        _replace(call, known[name])


def _number(b: Builder, along: Value, size: int, local_size: LocalSize) -> Value:
    """Return the number of a work-item's sub-group; `along` is its local id along x."""
    x, y, z = local_size
    number: Value = b.binary("lshr", along, const_int(I32, size.bit_length() - 1), "sub_group")
    for dimension, extent, stride in ((1, y, x // size), (2, z, x // size * y)):
        if extent > 1:
            local = b.cast("trunc", query_call(b, "get_local_id", dimension), I32)
            number = b.add(number, b.mul(local, const_int(I32, stride)))
    return number
