"""Lower group functions to barriers, work-item functions and memory accesses.

All work-items of a group must call a *group function* (`weft/analysis/group_functions.py`). The first
work-item performs the work alone, between two barriers:

    %r = call float @_Z21work_group_reduce_addf(float %x)

    store float %x, ptr addrspace(3) %own              ; @weft.items.float[local linear id]
    call void @weft.barrier()
    %first = icmp eq i64 %id, 0
    br i1 %first, label %reduce, label %reduce.done    ; a loop over @weft.items.float
    reduce.done:                                       ; has written @weft.result.float
    call void @weft.barrier()
    %r = load float, ptr addrspace(3) @weft.result.float, align 4, !weft.uniform !0

The paper (pocl, section 4) has no such functions; pocl's library gives every work-item a share of a copy.
Here the region between the barriers runs once per group instead (`weft/analysis/first_item.py`), so a copy is
one memcpy, and scans and reductions are one plain loop.

- Copies: memcpy, or a loop with a stride. Events carry no information, since a copy completes within the
  call; `wait_group_events` is a barrier, and the memory of events is removed.
- `all`, `any`, `broadcast`, `reduce_*`: one result per group, which is uniform.
- `scan_*`: one element per work-item, read back by its owner.

No third barrier is needed: result memory is written only between the two barriers. An element of items memory
is written between them, or by its owner, which has read its previous value before. Scans combine in the order
of local ids, reductions in any order, including floating-point ones, as OpenCL allows: LLVM vectorizes their
loops.

Requires that all work-items of a group reach the call with the same arguments, as OpenCL specifies. Preserves
LCSSA and natural loops; runs before `isolate_barriers`. Linear. Refuses nothing.
"""

from weft.analysis.group_functions import ITEMS, RESULT, UNIFORM, GroupFunction, group_function
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Block, Function, GlobalVariable, Instruction, Module, Value
from weft.ir.address_spaces import LOCAL
from weft.ir.builder import Builder
from weft.ir.types import (
    I1,
    I32,
    I64,
    VOID,
    ArrayType,
    FloatType,
    Type,
    VectorType,
    address_space,
    alignment_of,
    intrinsic_suffix,
    size_of,
)
from weft.ir.values import Constant, ConstantFloat, const_int, zero_of
from weft.transform.reductions import combined, identity

from .place_implicit_barriers import barrier_call
from .remove_written_only import remove_written_only
from .work_item_loops import ONCE_PER_GROUP, add_fact


def lower_group_functions(function: Function) -> None:
    """Replace the calls of group functions in a function."""
    module = function.parent
    event_memory: list[Value] = []
    before = list(function.instructions())
    for call in before:
        callee = call.called_function
        called = group_function(call.callee_name)
        if callee is None or called is None:
            continue
        match called.kind:
            case "copy" | "strided_copy":
                _lower_copy(call, called)
            case "wait":
                event_memory.append(call.arguments[1])
                wait(Builder(call.parent, call), BarrierOrigin.GROUP_FUNCTION)
            case _:
                _lower_collective(call, called)
        call.erase()
        if not callee.users:
            module.remove(callee)
    remove_written_only(event_memory)
    if any("dbg" in i.metadata for i in before):
        locate_new_instructions(function, frozenset(before))


def locate_new_instructions(function: Function, before: frozenset[Instruction]) -> None:
    """Give new instructions the debug location of the preceding instruction, which is close enough."""
    last = None
    for i in function.instructions():
        if i not in before and last is not None:
            i.metadata["dbg"] = last
        last = i.metadata.get("dbg", last)


class FirstItemCode:
    """A place before a call where only the first work-item executes code, on behalf of the group.

    `before` inserts before the first barrier and `after` after the second one. `work` inserts the first
    work-item's code; it may add blocks, and must be closed. The first work-item is the one for which `query`
    returns 0; `origin` is that of the barriers.
    """

    def __init__(
        self,
        call: Instruction,
        name: str,
        query: str = "get_local_linear_id",
        origin: BarrierOrigin = BarrierOrigin.GROUP_FUNCTION,
    ) -> None:
        start = call.parent
        function = start.parent
        self._done = start.split(start.index(call), f"{name}.done")
        start.terminator.erase()
        ahead = Builder(start)
        barrier = wait(ahead, origin)
        place = query_call(ahead, query)
        first = ahead.icmp("eq", place, zero_of(place.type), "first")
        ahead.cond_br(first, self._add_block(function, name, start), self._done)
        self.before = Builder(start, barrier)
        self.after = Builder(self._done, call)
        wait(self.after, origin)

    def _add_block(self, function: Function, name: str, after: Block) -> Block:
        self.work = Builder(function.add_block(name, after=after))
        return self.work.block

    def close(self) -> None:
        """End the first work-item's code."""
        self.work.br(self._done)

    def count(self, start: int, end: Value) -> tuple[Instruction, "Counting"]:
        """Open a loop from `start` to `end`; return its counter."""
        loop = Counting(self.work, const_int(I64, start), end)
        self.work = loop.body
        return loop.counter, loop

    def end_loop(self, loop: "Counting", *carried: Value) -> None:
        """End a loop of `count`, which carries these values to its next iteration."""
        self.work = loop.close(*carried)


class Counting:
    """A counting loop under construction."""

    def __init__(self, before: Builder, start: Value, end: Value) -> None:
        block = before.block
        function = block.parent
        self._entering = block
        self._header = function.add_block("header", after=block)
        body = function.add_block("body", after=self._header)
        self._exit = function.add_block("exit", after=body)
        before.br(self._header)
        head = Builder(self._header)
        self.counter = head.phi(I64, "i")
        self.counter.add_incoming(start, block)
        head.cond_br(head.icmp("ult", self.counter, end, "more"), body, self._exit)
        self.body = Builder(body)
        self._carried: Instruction | None = None

    def carry(self, start: Value) -> Instruction:
        """Add a loop-carried value."""
        self._carried = Builder(self._header).phi(start.type, "value")
        self._carried.add_incoming(start, self._entering)
        return self._carried

    def close(self, following: Value | None = None) -> Builder:
        """End an iteration with the carried value for the next one; return a builder for the loop's exit."""
        body = self.body
        self.counter.add_incoming(
            body.add(self.counter, const_int(I64, 1), "i.next", ("nuw", "nsw")), body.block
        )
        body.br(self._header)
        add_fact(body.block, ONCE_PER_GROUP)
        if self._carried is not None and following is not None:
            self._carried.add_incoming(following, body.block)
        return Builder(self._exit)

    def last(self) -> Instruction:
        """Return the carried value after the loop, in LCSSA form."""
        assert self._carried is not None
        last = Builder(self._exit).phi(self._carried.type, "last")
        last.add_incoming(self._carried, self._header)
        return last


# Copies


def _lower_copy(call: Instruction, function: GroupFunction) -> None:
    target, source, count, *rest = call.arguments
    first_item = FirstItemCode(call, "copy")
    if function.kind == "copy":
        size = first_item.work.mul(count, const_int(I64, size_of(function.type)))
        _memcpy(first_item.work, target, source, size, alignment_of(function.type))
    else:
        stride = rest[0]
        index, loop = first_item.count(0, count)
        far = first_item.work.mul(index, stride)
        # The stride applies to the side in global memory.
        to, origin = (index, far) if address_space(target.type) == LOCAL else (far, index)
        alignment = alignment_of(function.type)
        place = first_item.work.gep(function.type, source, [origin])
        value = first_item.work.load(function.type, place, alignment, "element")
        first_item.work.store(value, first_item.work.gep(function.type, target, [to]), alignment)
        first_item.end_loop(loop)
    first_item.close()
    call.replace_all_uses_with(zero_of(call.type))


def _memcpy(b: Builder, target: Value, source: Value, size: Value, alignment: int) -> None:
    spaces = [address_space(p.type) for p in (target, source)]
    name = f"llvm.memcpy.p{spaces[0]}.p{spaces[1]}.i64"
    call = b.call_symbol(name, VOID, [target, source, size, const_int(I1, 0)])
    aligned = (f"align {alignment}",)
    call.attributes["argument_attributes"] = (aligned, aligned, (), ())


# Collectives


def _lower_collective(call: Instruction, function: GroupFunction) -> None:
    value, *ids = call.arguments
    type = function.type
    first_item = FirstItemCode(call, function.kind)
    items = group_memory(first_item.before, ITEMS, type)
    own = first_item.before.gep(type, items, [query_call(first_item.before, "get_local_linear_id")], "own")
    if function.kind in ("all", "any"):
        value = first_item.before.cast("zext", first_item.before.icmp("ne", value, zero_of(type)), type)
    first_item.before.store(value, own, alignment_of(type))
    if function.kind == "broadcast":
        index = _linear(first_item.work, ids)
        set_result(first_item.work, element(first_item.work, type, items, index))
    else:
        _combine(first_item, function, items)
    first_item.close()
    if function.kind.startswith("scan"):
        call.replace_all_uses_with(first_item.after.load(type, own, alignment_of(type), call.name))
    else:
        call.replace_all_uses_with(get_result(first_item.after, type, call.name))


def _combine(first_item: FirstItemCode, function: GroupFunction, items: Value) -> None:
    """Emit the loop over the values of all work-items; a scan overwrites them with its results."""
    type = function.type
    exclusive = function.kind == "scan_exclusive"
    inclusive = function.kind == "scan_inclusive"
    size = _local_size(first_item.work)
    start = element(first_item.work, type, items, const_int(I64, 0)) if inclusive else _start(function)
    # A reduction starts at element 0, so that the vector loop over a power of two has no remainder.
    index, loop = first_item.count(1 if inclusive else 0, size)
    so_far = loop.carry(start)
    b = first_item.work
    place = b.gep(type, items, [index])
    value = b.load(type, place, alignment_of(type), "element")
    total = _operation(b, function, so_far, value)
    if function.kind.startswith("scan"):
        b.store(so_far if exclusive else total, place, alignment_of(type))
    first_item.end_loop(loop, total)
    if not function.kind.startswith("scan"):
        set_result(first_item.work, loop.last())


def _start(function: GroupFunction) -> Constant:
    """Return the initial value of a reduction or an exclusive scan."""
    if function.kind == "reduce" and function.operation == "add" and isinstance(function.type, FloatType):
        # The sum of negative zeros is a negative zero.
        return ConstantFloat.of(function.type, -0.0)
    return identity(function.operation, function.type)


def _operation(b: Builder, function: GroupFunction, left: Value, right: Value) -> Value:
    if function.kind == "reduce" and isinstance(function.type, FloatType):
        return _in_any_order(b, function, left, right)
    return combined(b, function.operation, left, right)


def _in_any_order(b: Builder, function: GroupFunction, left: Value, right: Value) -> Value:
    """Combine two floats such that LLVM may vectorize the reduction: OpenCL leaves the order open."""
    type, name = function.type, function.operation
    if name == "add":
        return b.binary("fadd", left, right, flags=("reassoc",))
    return b.call_symbol(f"llvm.{name}num.{intrinsic_suffix(type)}", type, [left, right])


def _linear(b: Builder, ids: list[Value]) -> Value:
    """Emit the local linear id of the work-item with these local ids."""
    index = ids[-1]
    for dimension in reversed(range(len(ids) - 1)):
        index = b.add(b.mul(index, query_call(b, "get_local_size", dimension)), ids[dimension])
    return index


def _local_size(b: Builder) -> Value:
    x, y, z = (query_call(b, "get_local_size", dimension) for dimension in range(3))
    return b.mul(b.mul(x, y), z, "items")


# Group memory, and calls of the lowered code


def element(b: Builder, type: Type, items: Value, index: Value) -> Value:
    """Load the value that the work-item `index` has stored."""
    return b.load(type, b.gep(type, items, [index]), alignment_of(type), "element")


def set_result(b: Builder, value: Value, kind: str = RESULT) -> None:
    """Store the result for all work-items."""
    b.store(value, group_memory(b, kind, value.type), alignment_of(value.type))


def get_result(b: Builder, type: Type, name: str | None, kind: str = RESULT) -> Value:
    """Load the result for all work-items."""
    load = b.load(type, group_memory(b, kind, type), alignment_of(type), name)
    load.metadata[UNIFORM] = _empty_node(_module(b))
    return load


def group_memory(b: Builder, kind: str, type: Type) -> GlobalVariable:
    """Return the group memory of a kind for values of a type."""
    module = _module(b)
    spelled = f"v{type.count}.{type.element}" if isinstance(type, VectorType) else f"{type}"
    name = f"{kind}{spelled}"
    variable = module.globals.get(name)
    if variable is None:
        variable = module.add_variable(name, ArrayType(type, 0) if kind == ITEMS else type, LOCAL)
        variable.prefix = ("external",)
    assert isinstance(variable, GlobalVariable)
    return variable


def _empty_node(module: Module) -> str:
    for number, text in module.metadata.items():
        if text == "!{}":
            return f"!{number}"
    return module.add_metadata("!{}")


def query_call(b: Builder, name: str, dimension: int | None = None) -> Value:
    """Emit a call of a work-item function."""
    arguments = [] if dimension is None else [const_int(I32, dimension)]
    result = I32 if "sub_group" in name else I64
    return b.call_symbol(f"_Z{len(name)}{name}{'j' if arguments else 'v'}", result, arguments)


def wait(b: Builder, origin: BarrierOrigin) -> Instruction:
    """Emit a barrier."""
    return b.insert(barrier_call(b.block.parent, origin))


def _module(b: Builder) -> Module:
    return b.block.parent.parent
