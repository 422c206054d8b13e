"""Lower sub-group functions to barriers of the sub-group, work-item functions and memory accesses.

It works like `lower_group_functions`, with a sub-group in place of the group: each work-item stores its value
to group memory, `@weft.items.T`, at its local linear id. Sub-group barriers before and after the loads ensure
that no work-item stores again before all have loaded.

    %r = call float @_Z17sub_group_shufflefj(float %x, i32 %from)

    store float %x, ptr addrspace(3) %own              ; @weft.items.float[local linear id]
    call void @weft.sub_group_barrier()
    %r = load float, ptr addrspace(3) %other           ; @weft.items.float[first of the sub-group + %from]
    call void @weft.sub_group_barrier()

- `reduce_*`, `scan_*`, votes and ballots: the first work-item of the sub-group combines all values in the
  order of local ids, including floating-point ones. The result of a reduction is uniform in the sub-group;
  its memory is separate from the group's results, which other sub-groups may not have read yet.
- Shuffles, rotations and broadcasts read the element of another work-item; an index outside the sub-group
  reads an arbitrary value, as OpenCL C allows.

The barriers synchronize only the work-items of a sub-group: sub-groups may take different paths
(`work_group_function`). Functions that need not be called by all work-items of a sub-group are lowered as if
they had to be: `sub_group_size` returns 1 for kernels that may call them in divergent code.

Requires that all work-items of a sub-group reach a call. Preserves LCSSA and natural loops; runs before
`isolate_barriers`. Linear. Refuses nothing.
"""

from weft.analysis.group_functions import ITEMS, SUB_GROUP_RESULT, VOTES
from weft.analysis.sub_group_functions import MASKS, SubGroupFunction, sub_group_function
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, I32, I64, FloatType, alignment_of
from weft.ir.values import const_int, zero_of
from weft.transform.reductions import combined, identity

from .lower_group_functions import (
    Counting,
    FirstItemCode,
    element,
    get_result,
    group_memory,
    locate_new_instructions,
    query_call,
    set_result,
    wait,
)

_LANE = "get_sub_group_local_id"
_ORIGIN = BarrierOrigin.SUB_GROUP_FUNCTION


def lower_sub_group_functions(function: Function, size: int) -> None:
    """Replace the calls of sub-group functions in a function; `size` is that of sub-groups."""
    before = list(function.instructions())
    for call in before:
        callee = call.called_function
        called = sub_group_function(call.callee_name)
        if callee is None or called is None:
            continue
        call.replace_all_uses_with(_lowered(call, called, size))
        call.erase()
        if not callee.users:
            function.parent.remove(callee)
    if any("dbg" in i.metadata for i in before):
        locate_new_instructions(function, frozenset(before))


def _lowered(call: Instruction, function: SubGroupFunction, size: int) -> Value:
    kind = function.kind
    if kind == "elect":
        b = Builder(call.parent, call)
        return b.cast("zext", b.icmp("eq", query_call(b, _LANE), const_int(I32, 0)), I32)
    if kind in MASKS:
        return of_mask(call, kind)
    if kind in ("ballot", "all_equal", "reduce", "scan_exclusive", "scan_inclusive", *VOTES):
        return _combined(call, function, size)
    b = Builder(call.parent, call)
    value, *rest = call.arguments
    items = group_memory(b, ITEMS, value.type)
    b.store(value, _own(b, items, value), alignment_of(value.type))
    wait(b, _ORIGIN)
    if kind == "clustered_reduce":
        result = _cluster(call, function, items, rest[0], size)
        b = Builder(call.parent, call)
    else:
        index = b.binary("and", place_of_source(b, kind, rest), const_int(I32, size - 1))
        result = element(b, value.type, items, b.add(_first(b, size), b.cast("zext", index, I64)))
        result.name = call.name
    wait(b, _ORIGIN)
    return result


def of_mask(call: Instruction, kind: str) -> Value:
    """Compute a mask relative to a work-item's own index, or a query of a given mask."""
    b = Builder(call.parent, call)
    lane, one = query_call(b, _LANE), const_int(I32, 1)
    own = b.binary("shl", one, lane)
    below = b.sub(own, one)
    through = b.binary("or", own, below)
    left = b.sub(const_int(I32, 32), query_call(b, "get_max_sub_group_size"))
    whole = b.binary("lshr", const_int(I32, -1), left)
    if kind.startswith("get_"):
        which = kind.removeprefix("get_sub_group_").removesuffix("_mask")
        if which in ("ge", "gt"):
            under = below if which == "ge" else through
            mask = b.binary("and", whole, b.binary("xor", under, const_int(I32, -1)))
        else:
            mask = {"eq": own, "le": through, "lt": below}[which]
        return first_of_four(b, call, mask)
    mask_bits = b.emit("extractelement", I32, [call.arguments[0], const_int(I32, 0)])
    if kind == "sub_group_ballot_bit_extract":
        place = b.binary("and", call.arguments[1], const_int(I32, 31))
        return b.binary("and", b.binary("lshr", mask_bits, place), one, call.name)
    if kind == "sub_group_inverse_ballot":
        return b.binary("and", b.binary("lshr", mask_bits, lane), one, call.name)
    bits = b.binary("and", mask_bits, whole)
    if kind in ("sub_group_ballot_find_lsb", "sub_group_ballot_find_msb"):
        lowest = kind.endswith("lsb")
        count = _counted(b, "cttz" if lowest else "ctlz", [bits, const_int(I1, 0)])
        return count if lowest else b.sub(const_int(I32, 31), count)
    if kind.endswith("scan"):
        bits = b.binary("and", bits, through if "inclusive" in kind else below)
    return _counted(b, "ctpop", [bits])


def _counted(b: Builder, intrinsic: str, operands: list[Value]) -> Value:
    return b.call_symbol(f"llvm.{intrinsic}.i32", I32, operands)


def first_of_four(b: Builder, call: Instruction, number: Value) -> Value:
    """Return a mask: a vector of four numbers whose first element is `number`, the others 0."""
    return b.emit("insertelement", call.type, [zero_of(call.type), number, const_int(I32, 0)], call.name)


def _own(b: Builder, items: Value, value: Value) -> Value:
    return b.gep(value.type, items, [query_call(b, "get_local_linear_id")], "own")


def _first(b: Builder, size: int) -> Value:
    """Return the local linear id of the sub-group's first work-item."""
    return b.mul(b.cast("zext", query_call(b, "get_sub_group_id"), I64), const_int(I64, size), "first.item")


def place_of_source(b: Builder, kind: str, rest: list[Value]) -> Value:
    """Return the index in the sub-group of the work-item whose value is read."""
    if kind == "broadcast_first":
        return const_int(I32, 0)
    if kind in ("broadcast", "shuffle"):
        return rest[0]
    lane = query_call(b, _LANE)
    match kind:
        case "shuffle_xor":
            return b.binary("xor", lane, rest[0])
        case "shuffle_up":
            return b.sub(lane, rest[0])
        case "shuffle_down":
            return b.add(lane, rest[0])
        case "clustered_rotate":
            inside = b.sub(rest[1], const_int(I32, 1))  # the size of a cluster is a power of two
            turned = b.binary("and", b.add(lane, rest[0]), inside)
            outside = b.binary("xor", inside, const_int(I32, -1))
            return b.binary("or", b.binary("and", lane, outside), turned)
    assert kind == "rotate", kind
    whole = query_call(b, "get_max_sub_group_size")
    turned = b.binary("srem", rest[0], whole)
    forward = b.select(b.icmp("slt", turned, const_int(I32, 0)), b.add(turned, whole), turned)
    place = b.add(lane, forward)
    return b.select(b.icmp("uge", place, whole), b.sub(place, whole), place)


def _combined(call: Instruction, function: SubGroupFunction, size: int) -> Value:
    """Let the first work-item combine the values of all, and return the result."""
    kind, type = function.kind, function.type
    operation = VOTES.get(kind, function.operation)
    first_item = FirstItemCode(call, kind, _LANE, _ORIGIN)
    before, value = first_item.before, call.arguments[0]
    if operation.startswith("logical_") or kind == "ballot":
        value = before.cast("zext", before.icmp("ne", value, zero_of(type)), type)
    items = group_memory(before, ITEMS, type)
    own = _own(before, items, value)
    before.store(value, own, alignment_of(type))
    first = _first(first_item.work, size)
    row = first_item.work.gep(type, items, [first], "row")
    count = first_item.work.cast("zext", query_call(first_item.work, "get_sub_group_size"), I64)
    if kind == "ballot":
        return _ballot(call, first_item, row, count)
    if kind == "all_equal":
        return _all_equal(call, function, first_item, row, count)
    scans, exclusive = kind.startswith("scan"), kind == "scan_exclusive"
    start = identity(operation, type) if exclusive else element(first_item.work, type, row, const_int(I64, 0))
    index, loop = first_item.count(0 if exclusive else 1, count)
    so_far = loop.carry(start)
    b = first_item.work
    place = b.gep(type, row, [index])
    total = combined(b, operation, so_far, b.load(type, place, alignment_of(type), "element"))
    if scans:
        b.store(so_far if exclusive else total, place, alignment_of(type))
    first_item.end_loop(loop, total)
    if scans:
        first_item.close()
        return first_item.after.load(type, own, alignment_of(type), call.name)
    return _result_of(loop, first_item, call.name)


def _result_of(loop: Counting, first_item: FirstItemCode, name: str | None) -> Value:
    """End the first work-item's code; return the last value that a loop carries, for all work-items."""
    last = loop.last()
    set_result(first_item.work, last, SUB_GROUP_RESULT)
    first_item.close()
    return get_result(first_item.after, last.type, name, SUB_GROUP_RESULT)


def _ballot(call: Instruction, first_item: FirstItemCode, row: Value, count: Value) -> Value:
    """Collect a bit for each work-item, in the first of four numbers."""
    index, loop = first_item.count(0, count)
    mask = loop.carry(const_int(I32, 0))
    b = first_item.work
    bit = b.binary("shl", element(b, I32, row, index), b.cast("trunc", index, I32))
    first_item.end_loop(loop, b.binary("or", mask, bit))
    return first_of_four(first_item.after, call, _result_of(loop, first_item, None))


def _all_equal(
    call: Instruction, function: SubGroupFunction, first_item: FirstItemCode, row: Value, count: Value
) -> Value:
    type = function.type
    first = element(first_item.work, type, row, const_int(I64, 0))
    index, loop = first_item.count(1, count)
    so_far = loop.carry(const_int(I32, 1))
    b = first_item.work
    value = element(b, type, row, index)
    if isinstance(type, FloatType):
        same = b.emit("fcmp", I1, [value, first], predicate="oeq")
    else:
        same = b.icmp("eq", value, first)
    first_item.end_loop(loop, b.binary("and", so_far, b.cast("zext", same, I32)))
    return _result_of(loop, first_item, call.name)


def _cluster(
    call: Instruction, function: SubGroupFunction, items: Value, clustered: Value, size: int
) -> Value:
    """Let each work-item combine the values of its own cluster, in a loop before the call."""
    start = call.parent
    done = start.split(start.index(call), "cluster.done")
    start.terminator.erase()
    b, type = Builder(start), function.type
    inside = b.sub(clustered, const_int(I32, 1))
    lane = query_call(b, _LANE)
    lowest = b.binary("and", lane, b.binary("xor", inside, const_int(I32, -1)))
    highest = b.add(lowest, clustered)
    count = query_call(b, "get_sub_group_size")
    end = b.select(b.icmp("ult", highest, count), highest, count)
    row = b.gep(type, items, [_first(b, size)], "row")
    first = b.cast("zext", lowest, I64)
    value_at_start = element(b, type, row, first)
    logical = function.operation.startswith("logical_")

    def truth(b: Builder, value: Value) -> Value:
        return b.cast("zext", b.icmp("ne", value, zero_of(type)), type) if logical else value

    value_at_start = truth(b, value_at_start)
    second = b.add(first, const_int(I64, 1))
    loop = Counting(b, second, b.cast("zext", end, I64))
    so_far = loop.carry(value_at_start)
    value = truth(loop.body, element(loop.body, type, row, loop.counter))
    after = loop.close(combined(loop.body, function.operation, so_far, value))
    result = loop.last()
    after.br(done)
    return result
