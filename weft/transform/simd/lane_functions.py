"""Vectorize functions of the program for W lanes.

A varying call becomes one call of a function for all lanes. Varying arguments and the result are passed in
memory, one element per lane; uniform and linear arguments are passed as in the first lane, and the mask as
bits if some lanes may be inactive:

    %y = call float @weft.function.f(float %x, i32 %n)

    store <8 x float> %x, ptr %lanes.1
    call void @weft.lanes.8.v_0.m.weft.function.f(ptr %lanes.1, i32 %n, i64 %bits, ptr %lanes.2)
    %y = load <8 x float>, ptr %lanes.2

Such a function is a loop over the lanes around the body of @weft.function.f, vectorized like a work-item
loop. If that is impossible or unprofitable, the loop calls @weft.function.f (`LaneFunction.SEQUENTIAL`). The
name encodes all its properties.

Callees are processed first, so that callers know the cost of a call (`CallCosts`).
"""

from collections.abc import Callable, Iterable
from enum import unique
from functools import cached_property

from weft import ir
from weft.analysis.kernel_variables import derived_pointers
from weft.analysis.memory_effects import (
    OWN_FUNCTION,
    base_of,
    is_atomic_function,
    is_lifetime_marker,
    is_own_function,
)
from weft.ir import Argument, Block, Function, Instruction, Module, Value
from weft.ir.address_spaces import MAY_BE_PRIVATE, SHARED
from weft.ir.builder import Builder
from weft.ir.clone import clone_blocks
from weft.ir.graph import post_order, reachable
from weft.ir.loops import loop_forest
from weft.ir.types import I8, I32, I64, VOID, IntType, PointerType
from weft.ir.values import Constant, const_int
from weft.remarks import SILENT, Message, Reason, Remarks
from weft.target import Target
from weft.transform.cost_model.call_costs import CallCost, set_call_cost
from weft.transform.cost_model.estimate import Estimate, estimate
from weft.transform.workgroup.disable_inner_loop_vectorization import disable_inner_loop_vectorization
from weft.transform.workgroup.private_arrays_by_lane import LARGEST_OF_ALL, private_arrays_by_lane
from weft.transform.workgroup.work_item_loops import INNERMOST

from .cannot_vectorize import CannotVectorize, NotVectorized
from .counted_loop import work_item_lanes
from .for_lanes import LANES_OF, VARYING, is_copied, lane_name, lane_type
from .join_loads import join_loads
from .lane_by_lane import load_one, store_one
from .lanewise import VectorForm
from .loop_plan import PlanOptions, plan_loop
from .vectorize_loop import emit_loop

# Emits the code of one lane, from a block with its arguments to the block after it; returns the result.
_Body = Callable[[Block, list[Value], Block], Value | None]
_MASKED = "m"
# Limits up to which functions run in lanes: instructions of all functions, and private memory of all lanes in
# the kernel and its functions, which is on the stack of a worker or of a host thread, often of 1 MiB.
MOST_INSTRUCTIONS = 20_000
MOST_PRIVATE_BYTES = LARGEST_OF_ALL


@unique
class LaneFunction(Message):
    """How lanes call a function."""

    IN_LANES = "{callee} runs for {width} lanes at once"
    SEQUENTIAL = "{callee} is called sequentially for each of {width} lanes: {why}"


class LaneFunctions:
    """Defines functions for lanes in the module that has the functions for one work-item."""

    def __init__(
        self,
        texts: tuple[str, ...],
        target: Target,
        vector_form: VectorForm,
        forced: bool,
        private_bytes: int,
        remarks: Remarks = SILENT,
    ) -> None:
        """`texts` is the text of that module, or empty.

        `forced`: use lanes wherever possible. `private_bytes`: of one work-item in the kernel and
        its functions.
        """
        self.texts, self.remarks = texts, remarks
        self.target, self.register = target, target.lanes(32)
        self.vector_form, self.forced = vector_form, forced
        instructions = sum(text.count("\n") for text in texts)
        self.most_lanes = MOST_PRIVATE_BYTES // max(private_bytes, 1)
        self.small = instructions <= MOST_INSTRUCTIONS and self.register <= self.most_lanes

    @cached_property
    def module(self) -> Module:
        """The module of the functions, parsed on first use."""
        return ir.parse("".join(self.texts))

    def report_costs(self, caller: Function) -> None:
        """Annotate the calls of a function in another module with their costs."""
        known = self.costs() if self.texts and self.small and not self.forced else {}
        calls: dict[str, list[Instruction]] = {}
        for i in caller.instructions() if known else ():
            if is_own_function(i):
                calls.setdefault(i.callee_name, []).append(i)
        for name in calls.keys() & known.keys():
            set_call_cost(calls[name], known[name])

    def define_callees_of(self, caller: Function) -> tuple[str, ...]:
        """Define the functions for lanes that `caller`, in another module, calls; return the text."""
        wanted = _called_for_lanes(caller)
        if not wanted:
            return self.texts
        self._keep_only(self.define_all(wanted))
        return (ir.print_module(self.module),)

    def costs(self) -> dict[str, CallCost]:
        """Return the cost of a call of each function for one work-item and for one register of lanes."""
        own = [f for f in self.module.functions if not f.is_declaration and _is_own(f)]
        known: dict[str, CallCost] = {}
        for function in post_order(own, _callees):
            name = function.name or ""
            strides = [0 if _is_buffer(a) else None for a in function.arguments]
            cost = self.define(lane_name(name, self.register, strides, True))
            if cost is not None:
                wide = cost.wide if cost.pays else None
                known[name] = CallCost(cost.scalar / self.register, wide, self.register)
                set_call_cost([i for i in function.users if is_own_function(i)], known[name])
        return known

    def define_all(self, names: Iterable[str]) -> set[str]:
        """Define functions of these names and those that they call for lanes; return the names of all."""
        work, done = list(names), set[str]()
        while work:
            name = work.pop()
            if name in done:
                continue
            done.add(name)
            existing = self.module.globals.get(name)
            if not isinstance(existing, Function) or existing.is_declaration:
                self.define(name, self.remarks)
            work += _called_for_lanes(self.module.function(name))
        return done

    def _keep_only(self, names: set[str]) -> None:
        """Remove functions for lanes that were only defined to estimate their cost."""
        others = [f for f in self.module.functions if (f.name or "").startswith(LANES_OF)]
        others = [f for f in others if f.name not in names]
        for function in others:
            function.drop_body()
        for function in others:
            self.module.remove(function)

    def define(self, name: str, remarks: Remarks = SILENT) -> Estimate | None:
        """Define one function; return its estimate, or None if it cannot run in lanes."""
        version = _Version(self.module, name)
        cost = None
        callee = (version.callee.name or "").removeprefix(OWN_FUNCTION)
        refusal = Reason(NotVectorized.COSTS_MORE, width=version.width)
        try:
            cost = self._vectorized(version)
        except CannotVectorize as error:
            refusal = error.refusal
        if cost is None or not (self.forced or cost.pays):
            remarks.missed(LaneFunction.SEQUENTIAL, callee=callee, width=version.width, why=refusal)
            version.function.drop_body()
            version.call_sequentially()
        else:
            remarks.passed(LaneFunction.IN_LANES, callee=callee, width=version.width)
        disable_inner_loop_vectorization(version.function)
        return cost

    def _vectorized(self, version: "_Version") -> Estimate:
        if version.width > 2 * self.register:
            raise CannotVectorize(NotVectorized.TOO_MANY_LANES)
        if not self.small or version.width > self.most_lanes:
            raise CannotVectorize(NotVectorized.FUNCTIONS_TOO_LARGE)
        function, width = version.function, version.width
        version.run_body()
        for array in private_arrays_by_lane(function, width):
            array.spread()
        forest = loop_forest(function)
        loop = next(m for m in forest.loops if m.header is version.header)
        shape = work_item_lanes(loop, forest)
        cost = estimate(loop, forest, shape, width, self.target)
        if self.forced or cost.pays:
            join_loads(loop, shape)
            strategy = cost.strategies_to_try()[0]
            options = PlanOptions(width, self.vector_form, strategy)
            emit_loop(plan_loop(loop, forest, work_item_lanes(loop, forest), options))
        return cost


def _is_own(function: Function) -> bool:
    return (function.name or "").startswith(OWN_FUNCTION)


def _is_buffer(argument: Argument) -> bool:
    """Return whether an argument is likely uniform: a pointer to shared memory."""
    return isinstance(argument.type, PointerType) and argument.type.space in SHARED


def _callees(function: Function) -> tuple[Function, ...]:
    called = (i.called_function for i in function.instructions() if is_own_function(i))
    return tuple(dict.fromkeys(f for f in called if f is not None and not f.is_declaration))


def _called_for_lanes(function: Function) -> list[str]:
    """Return the names of the functions for lanes that a function calls."""
    return sorted({i.callee_name for i in function.instructions() if i.callee_name.startswith(LANES_OF)})


class _Version:
    """A function for lanes under construction: a loop over the lanes."""

    def __init__(self, module: Module, name: str) -> None:
        width, kinds, masked, callee = name.removeprefix(LANES_OF).split(".", 3)
        self.module, self.width, self.masked = module, int(width), masked == _MASKED
        self.callee = module.function(callee)
        self.strides = [None if kind == VARYING else int(kind) for kind in kinds.split("_") if kind]
        self.header: Block
        type = lane_type(self.callee.function_type, self.strides, self.masked)
        self.function = module.declare(name, type)
        for number, argument in enumerate(self.function.arguments):
            argument.name = f"a{number}"

    def call_sequentially(self) -> None:
        """Call the function of one work-item for each lane sequentially."""

        def body(block: Block, arguments: list[Value], after: Block) -> Value | None:
            b = Builder(block)
            call = b.call(self.callee, arguments)
            call.attributes["argument_attributes"] = tuple(tuple(a.attributes) for a in self.callee.arguments)
            b.br(after)
            return call

        self._loop(body, "")

    def run_body(self) -> None:
        """Run the body of the function in a loop over the lanes, like a work-item loop."""
        copies = [a for a in self.callee.arguments if is_copied(a)]
        if any(_changes_copy(a) for a in copies) or (copies and _writes_to_callers(self.callee)):
            raise CannotVectorize(NotVectorized.COPY_MAY_CHANGE)
        group = self.module.add_metadata("distinct !{}")

        def body(block: Block, arguments: list[Value], after: Block) -> Value | None:
            values: dict[Value, Value] = dict(zip(self.callee.arguments, arguments, strict=True))
            copies = clone_blocks(self.callee.blocks, self.function, values)
            self._share_sequentially(copies, group)
            Builder(block).br(copies[0])
            return self._join_returns(copies, after)

        facts = (f'!{{!"llvm.loop.parallel_accesses", {group}}}', f'!{{!"{INNERMOST}"}}')
        nodes = ", ".join(self.module.add_metadata(fact) for fact in facts)
        self._loop(body, f"distinct !{{{{self}}, {nodes}}}")

    def _loop(self, body: _Body, facts: str) -> None:
        function = self.function
        entry, header, active, done, latch, end = (
            function.add_block(n) for n in ("entry", "lane", "active", "done", "next", "end")
        )
        self.header = header
        Builder(entry).br(header)
        b = Builder(header)
        lane = b.phi(I32, "number")
        number = b.cast("zext", lane, I64)
        parameters: list[Value] = list(function.arguments)
        result = parameters.pop() if self.callee.function_type.result is not VOID else None
        bits = parameters.pop() if self.masked else None
        arguments = [
            load_one(b, old.type, a, number) if stride is None else _of_lane(b, a, lane, number, stride)
            for a, old, stride in zip(parameters, self.callee.arguments, self.strides, strict=True)
        ]
        group = [i for i in header.instructions if i.opcode == "load"]
        if bits is None:
            b.br(active)
        else:
            bit = b.binary("and", b.binary("lshr", bits, number), const_int(I64, 1))
            b.cond_br(b.icmp("ne", bit, const_int(I64, 0)), active, latch)
        value = body(active, arguments, done)
        b = Builder(done)
        if result is not None:
            assert value is not None
            before = len(done.instructions)
            store_one(b, value, result, number)
            group += [i for i in done.instructions[before:] if i.opcode == "store"]
        b.br(latch)
        b = Builder(latch)
        next_lane = b.add(lane, const_int(I32, 1), "number.next", ("nuw", "nsw"))
        branch = b.cond_br(b.icmp("ult", next_lane, const_int(I32, self.width)), header, end)
        lane.add_incoming(const_int(I32, 0), entry)
        lane.add_incoming(next_lane, latch)
        Builder(end).ret()
        if facts:
            branch.metadata["llvm.loop"] = self.module.add_metadata(facts)
            own = self.module.add_metadata("distinct !{}")
            for access in group:
                access.metadata["llvm.access.group"] = own

    def _share_sequentially(self, copies: list[Block], group: str) -> None:
        """Move private memory to the function's frame, and mark all other accesses as parallel."""
        allocas = [i for i in copies[0].instructions if i.opcode == "alloca"]
        instructions = [i for block in copies for i in block.instructions]
        if any(i.opcode == "alloca" and i not in allocas for i in instructions):
            raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
        entry = self.function.blocks[0]
        for marker in [i for i in instructions if is_lifetime_marker(i)]:
            marker.erase()
        sequential: set[Value] = set()
        for alloca in allocas:
            pointers, escapes = derived_pointers(alloca)
            if escapes:
                raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
            sequential.update(pointers)
            copies[0].instructions.remove(alloca)
            entry.insert(0, alloca)
        for i in (i for block in copies for i in block.instructions):
            ordered = i.is_ordered or is_atomic_function(i)
            if (i.info.reads or i.info.writes) and not ordered and sequential.isdisjoint(i.operands):
                i.metadata["llvm.access.group"] = group

    def _join_returns(self, copies: list[Block], after: Block) -> Value | None:
        returns = [b for b in copies if b.terminator.opcode == "ret"]
        if not returns:
            raise CannotVectorize(NotVectorized.NEVER_RETURNS)
        type = self.callee.function_type.result
        value: Value | None = None
        phi = Builder(after).phi(type, "result") if type is not VOID and len(returns) > 1 else None
        for block in returns:
            if type is not VOID:
                value = block.terminator.operands[0]
            block.terminator.erase()
            Builder(block).br(after)
            if phi is not None and value is not None:
                phi.add_incoming(value, block)
        return phi or value


def _of_lane(b: Builder, first: Value, lane: Value, number: Value, stride: int) -> Value:
    """Return a lane's value of a linear argument: the first lane's plus `lane` strides."""
    if stride == 0:
        return first
    if first.type.is_pointer:
        # Without `inbounds`: the lane may be inactive and its address invalid.
        offset = b.mul(number, const_int(I64, stride))
        return b.emit("getelementptr", first.type, [first, offset], element_type=I8)
    assert isinstance(first.type, IntType)
    index = (
        lane
        if first.type.bits == 32
        else b.cast("trunc" if first.type.bits < 32 else "zext", lane, first.type)
    )
    return b.add(first, b.mul(index, const_int(first.type, stride)))


def _changes_copy(argument: Argument) -> bool:
    """Return whether a function may write to a structure that is passed by value."""
    start: Value = argument
    pointers = reachable([start], lambda p: (user for user in p.users if user.opcode == "getelementptr"))
    return any(user.opcode not in ("getelementptr", "load") for p in pointers for user in p.users)


def _writes_to_callers(function: Function) -> bool:
    """Return whether a function may write to private memory that is neither its own nor its result's.

    Lanes read a structure passed by value from the caller's memory, which must not change meanwhile.
    """
    pointers = (
        o
        for i in function.instructions()
        if i.opcode == "call" or i.info.writes
        for o in i.operands
        if isinstance(o.type, PointerType) and o.type.space in MAY_BE_PRIVATE
    )
    return any(not isinstance(o, Constant) and not _is_of_function(base_of(o)) for o in pointers)


def _is_of_function(base: Value | None) -> bool:
    if isinstance(base, Argument):
        return any(word.startswith("sret") for word in base.attributes)
    return isinstance(base, Instruction | Constant)
