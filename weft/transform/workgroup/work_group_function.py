"""Make the function that runs a whole work-group out of the kernel of one work-item (pocl, section 4).

The new function follows the barrier CFG: a block for each barrier, and between two barriers the
work-item loops of the parallel region:

    define void @k(ptr addrspace(1) %a)          define void @wg(ptr %launch, ptr %args, …)
    entry.barrier:                               entry:         ; arguments, sizes, group ids
      call void @weft.barrier()                    br label %region.0.pre
      br label %entry                            region.0.x:    ; a loop over local ids
    entry:                                         %x = phi i32 [ 0, … ], [ %x.next, … ]
      …                                            …            ; a copy of the blocks of the region
      br label %exit.barrier                       br i1 %more, label %region.0.x, label %region.0.end
    exit.barrier:                                exit.barrier:
      call void @weft.barrier()                    ret void
      ret void

A value that a later region needs is written to its variable (see `kernel_variables`) where it is
computed. A region reads what it needs at its start: uniform variables once, before the loops,
because work-items change them as they run; context arrays at the start of each iteration. Where a
region both reads a variable and recomputes it, phis join the two (`ir/ssa.py`).

A region with several successors writes down which barrier was reached (see `stragglers`).
Deciding branches (see `place_implicit_barriers`) are taken once, on the variable of their condition.

In kernels with sub-groups all of this is for the work-items of one sub-group: loops, decisions and what is
kept once are a sub-group's. Sub-groups take turns at the barriers of the work-group (`sub_groups`).

Requires: isolated and implicit barriers, locals as arguments. Refuses nothing. The code grows with
the number of barriers from which a block can be reached, which `merge_tails` and `merge_barriers` bound.
"""

from collections.abc import Mapping
from enum import unique

from weft import abi
from weft.analysis.barrier_cfg import BarrierCFG, ParallelRegion
from weft.analysis.first_item import is_first_item_region
from weft.analysis.group_functions import is_group_memory
from weft.analysis.kernel_variables import KernelVariables, derived_pointers, is_position
from weft.analysis.memory_effects import is_atomic_function
from weft.analysis.work_items import is_work_group_barrier, work_item_function
from weft.dataclasses import dataclass, replace
from weft.ir import Argument, Block, Function, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import space_query
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.names import unique_names
from weft.ir.ssa import SSAVariable
from weft.ir.types import I32, I64, PTR, VOID, ArrayType, FunctionType, alignment_of, size_of
from weft.ir.values import const_int
from weft.recursion import Definition, Recursion
from weft.remarks import SILENT, Message, Remarks

from .context_arrays import ITEM_ROUNDING, STACK_LIMIT, ContextLayout, capacity, memory_size
from .independent_sub_groups import IndependentTurns
from .positions import GroupPositions, ItemPositions, group_range
from .private_arrays_by_element import by_element
from .slots import Slot, read_slot, stack_slot, write_slot
from .space_tests import SpaceTests
from .stragglers import Items, Stragglers, part_of_rest
from .sub_groups import SubGroups, Turns
from .work_item_loops import DEFAULT_CHOICES, LoopChoices, WorkItemLoops, unmark_loops

SIGNATURE = FunctionType(VOID, (PTR, PTR, PTR, PTR, I64, I64, I64))
_PARAMETERS = (
    ("launch", ("noalias", "readonly", "align 8", f"dereferenceable({abi.LOCAL_BYTES})")),
    ("args", ("noalias", "readonly", f"align {abi.ARENA_ALIGNMENT}")),
    ("local", ("noalias", f"align {abi.ARENA_ALIGNMENT}")),
    ("context", ("noalias", f"align {abi.ARENA_ALIGNMENT}")),
    *((f"group.{axis}", ()) for axis in "xyz"),
)
# LLVM's vectorizer takes time in the square of a loop's length: some stay scalar, so that it takes a second.
VECTORIZED_SQUARES = 3000**2
# Scopes of noalias data are those of one work-item's calls and mean nothing once items share a function.
_DROPPED_METADATA = ("noalias", "alias.scope", "dbg")
_DROPPED_INTRINSICS = ("llvm.lifetime.", "llvm.experimental.noalias.scope.decl")


@dataclass(frozen=True)
class Independence:
    """Of a kernel whose sub-groups may wait for one another: what stacks must hold.

    `lanes`: the most work-items that run at a time; `function_bytes`: what functions that it calls need.
    """

    lanes: int
    function_bytes: int


@dataclass(frozen=True)
class Placement:
    """Where a kernel's parameter comes from: a slot of the argument block, or the local arena."""

    kind: str  # "value", "byval", "local" (a slot that holds an arena offset) or "automatic"
    offset: int
    size: int = 0  # of a structure that is passed by value


def work_group_function(
    kernel: Function,
    name: str,
    cfg: BarrierCFG,
    variables: KernelVariables,
    placements: Mapping[Argument, Placement],
    extents: abi.Extents | None,
    id_bits: int = abi.SMALL_IDS,
    choices: LoopChoices = DEFAULT_CHOICES,
    sub_group_size: int = 0,
    non_uniform: bool = False,
    jammed: tuple[int, int, int] = (1, 1, 1),
    independent: Independence | None = None,
    remarks: Remarks = SILENT,
) -> tuple[Function, ContextLayout]:
    """Adds the work-group function of `kernel` to its module; returns it and the layout of its context.

    `extents` is the local size, or what a call runs where that is no work-group (None: a group of any size).
    Global ids have at most `id_bits`, one of `abi.ID_BITS`.
    `sub_group_size` is 0 for kernels that do nothing with sub-groups. `non_uniform`: the last groups of the
    range may be smaller, `extents` leave the size open. `jammed`: the kernel does what so many work-items do.
    `independent`: sub-groups may wait for one another.
    With a listener to `remarks`, work-item loops have the number of their region.
    """
    unmark_loops(kernel.parent)
    weaver = _Weaver(
        kernel,
        name,
        cfg,
        variables,
        placements,
        extents,
        id_bits,
        choices,
        sub_group_size,
        non_uniform,
        jammed,
        independent,
    )
    weaver.numbers_loops = bool(remarks)
    made = weaver.run()
    if remarks:
        _tell(kernel, weaver, remarks)
    return made, weaver.layout


def _tell(kernel: Function, weaver: "_Weaver", remarks: Remarks) -> None:
    """Tells which blocks run which regions, and stand for which barriers."""
    names, before = unique_names(weaver.function), unique_names(kernel)
    for code in weaver.code:
        remarks.analysis(
            WorkGroupCode.REGION,
            region=code.region,
            access_group=code.access_group,
            blocks=tuple(names[block] for block in code.blocks),
            copies=tuple((before[block], names[copy]) for block, copy in code.copies.items()),
        )
    for barrier, block in (*weaver.barriers.items(), *weaver.rest.items()):
        remarks.analysis(WorkGroupCode.BARRIER, barrier=before[barrier], block=names[block])


@unique
class WorkGroupCode(Message):
    """What blocks of a work-group function are for."""

    REGION = "region r{region} becomes {blocks}"
    BARRIER = "{block} represents the barrier in {barrier}"


@dataclass(frozen=True)
class RegionCode:
    """The blocks that run a region, those among them that are copies, and the group of their accesses."""

    region: int
    access_group: str
    blocks: tuple[Block, ...]
    copies: dict[Block, Block]


def _added_function(kernel: Function, name: str, extents: abi.Extents | None) -> Function:
    """An empty work-group function for a kernel, beside it; `extents` are set if they bound group ids."""
    function = kernel.parent.add_function(name, SIGNATURE)
    function.suffix = kernel.suffix
    for argument, (label, attributes) in zip(function.arguments, _PARAMETERS, strict=True):
        argument.name, argument.attributes = label, attributes
    if extents is not None:
        for argument, size in zip(function.arguments[4:], extents, strict=True):
            argument.attributes = group_range(size)
    return function


class _Weaver:
    def __init__(
        self,
        kernel: Function,
        name: str,
        cfg: BarrierCFG,
        variables: KernelVariables,
        placements: Mapping[Argument, Placement],
        extents: abi.Extents | None,
        id_bits: int,
        choices: LoopChoices,
        sub_group_size: int,
        non_uniform: bool,
        jammed: tuple[int, int, int],
        independent: Independence | None,
    ) -> None:
        self.choices = choices
        self.numbers_loops = False
        self.code: list[RegionCode] = []
        module = kernel.parent
        self.module, self.cfg, self.variables = module, cfg, variables
        self.function = _added_function(kernel, name, None if id_bits > abi.INT_IDS else extents)
        launch, args, local, context, *groups = self.function.arguments
        if independent is not None:
            # Other sub-groups write there while one waits.
            local.attributes = tuple(a for a in local.attributes if a != "noalias")
            variables = self.variables = _on_small_stacks(variables)
        self.context = context
        self.entry = Builder(self.function.add_block("entry"))
        self.group = GroupPositions(self.entry, launch, list(groups), extents, id_bits, non_uniform, jammed)
        self.layout = ContextLayout()
        self._capacity: Value | None = None
        self.sub_groups: SubGroups | None = None
        self.turns: Turns | None = None
        if sub_group_size:
            self.sub_groups = SubGroups(self.entry, self.group, sub_group_size)
            waits = any(_waits_in(b) and b.terminator.opcode != "ret" for b in cfg.barriers[1:])
            place = self.entry, self.sub_groups, self.layout, context, self.capacity, waits
            if independent is None:
                self.turns = Turns(*place)
            else:
                kept = sum(memory_size(m, m.attributes["allocated"])[0] for m in variables.shared_memory)
                on_stack = independent.lanes * kept + independent.function_bytes
                self.turns = IndependentTurns(*place, on_stack)
        self._arenas = launch, local
        self._space_tests: SpaceTests | None = None
        self._by_value: list[tuple[Value, int]] = []
        self.values: ValueMap = {}
        for parameter in kernel.arguments:
            if is_group_memory(parameter.name):
                self.values[parameter] = self._group_memory(parameter)
            else:
                self.values[parameter] = self._parameter(parameter, placements[parameter], args, local)
        for variable in variables.context:
            self.layout.add(variable, variable.type)
        for memory in variables.context_memory:
            self.layout.add(memory, memory.attributes["allocated"], by_element(memory, choices.lanes))
        self.stragglers: Stragglers | None = None
        if any(len(region.successors) > 1 for region in cfg.regions):
            self.stragglers = Stragglers(self.function, self.layout, context, *self._together())
        self.slots = {v: self._slot(v, "uniform") for v in variables.uniform}
        self.decisions = self._decision_slots() if self.stragglers is not None else {}
        self.unshareable: set[Value] = set()
        for memory in variables.shared_memory:
            self.values[memory] = self._shared(memory)
            self.unshareable |= derived_pointers(memory)[0].keys()
        self.vectorized = _worth_vectorizing(cfg)
        self.barriers = {b: self.function.add_block(b.name) for b in cfg.barriers}
        self.rest = {b: self._rest_block(b) for b in part_of_rest(cfg)}

    def _together(self) -> tuple[Value, Items]:
        """The capacity of context arrays, and the numbers of the work-items that run together."""
        capacity, sub_groups = self.capacity(), self.sub_groups
        if sub_groups is None:
            end = self._items()
            return capacity, lambda b: (const_int(I64, 0), end)

        def of_sub_group(b: Builder) -> tuple[Value, Value]:
            first = sub_groups.first(b)
            last = b.add(first, sub_groups.count(b, first))
            return b.cast("zext", first, I64), b.cast("zext", last, I64)

        return capacity, of_sub_group

    def _slot(self, variable: Instruction, purpose: str) -> Slot:
        """A place for a variable of which there is one for all work-items that run together.

        Where sub-groups take turns, each has its own.
        """
        if self.turns is None or not self.turns.waits:
            slot = stack_slot(self.entry, variable.type, f"{variable.name or 'value'}.{purpose}")
            return lambda b: slot
        size = max(size_of(variable.type), alignment_of(variable.type))
        start, sub_groups = self.layout.add_array(size), self.sub_groups
        assert sub_groups is not None

        def of_sub_group(b: Builder) -> Value:
            array = b.byte_offset(self.context, b.mul(const_int(I64, start), self.capacity()))
            first = b.cast("zext", sub_groups.first(b), I64)
            return b.byte_offset(array, b.mul(first, const_int(I64, size)))

        return of_sub_group

    def _parameter(self, parameter: Argument, placement: Placement, args: Value, local: Value) -> Value:
        e, name = self.entry, parameter.name
        if placement.kind == "automatic":
            return e.cast("addrspacecast", e.byte_offset(local, placement.offset), parameter.type, name)
        slot = e.byte_offset(args, placement.offset)
        if placement.kind == "byval":
            self._by_value.append((slot, placement.size))
            return slot
        if placement.kind == "local":
            offset = e.load(I64, slot, 8)
            return e.cast("addrspacecast", e.byte_offset(local, offset), parameter.type, name)
        return e.load(parameter.type, slot, alignment_of(parameter.type), name)

    def _group_memory(self, parameter: Argument) -> Value:
        """The memory by which group functions exchange values: an array in the context, or a stack slot."""
        e, name = self.entry, parameter.name or ""
        variable = self.module.globals[name]
        assert isinstance(variable, GlobalVariable)
        type = variable.value_type
        shared = isinstance(self.turns, IndependentTurns)  # by all stacks
        if isinstance(type, ArrayType) or shared:
            size = size_of(type.element if isinstance(type, ArrayType) else type)
            start = e.mul(const_int(I64, self.layout.add_array(size)), self.capacity())
            memory = e.byte_offset(self.context, start)
        else:
            memory = e.alloca(type, alignment_of(type))
        return e.cast("addrspacecast", memory, parameter.type, name)

    def _shared(self, memory: Instruction) -> Value:
        """Private memory that work-items share serially."""
        size, _ = memory_size(memory, memory.attributes["allocated"])
        if size <= STACK_LIMIT:
            return self.entry.insert(clone_instruction(memory, self.values))
        e = self.entry
        arrays = e.mul(const_int(I64, self.layout.item_bytes), self.capacity())
        start = e.add(arrays, const_int(I64, self.layout.add_shared(memory)))
        return e.byte_offset(self.context, start, memory.name)

    def _rest_block(self, barrier: Block) -> Block:
        if barrier.terminator.opcode == "ret":
            return self.barriers[barrier]
        return self.function.add_block(f"{barrier.name}.rest")

    def run(self) -> Function:
        numbers = {region: i for i, region in enumerate(self.cfg.regions)}
        self._connect(self.barriers, {r: self._region(i, r, False) for r, i in numbers.items()})
        rest = {r: self._region(i, r, True) for r, i in numbers.items() if r.barrier in self.rest}
        ends = [b for b in self.rest if b.terminator.opcode == "ret"]
        self._connect({b: block for b, block in self.rest.items() if b not in ends}, rest)
        start = self.barriers[self.cfg.barriers[0]]
        if self.turns is None:
            self.entry.br(start)
        else:
            self.turns.begin(self.entry, start)
        return self.function

    def _connect(self, barriers: Mapping[Block, Block], starts: Mapping[ParallelRegion, Block]) -> None:
        """Fills the blocks of barriers: their branches lead to the loops of the regions."""
        for barrier, block in barriers.items():
            b = Builder(block)
            terminator = barrier.terminator
            if terminator.opcode == "ret":
                if self.turns is None:
                    b.ret()
                else:
                    self.turns.leave(block, self.barriers[self.cfg.barriers[0]])
                continue
            if self.turns is not None and barrier is not self.cfg.barriers[0] and _waits_in(barrier):
                b = self.turns.wait(block)
            targets: ValueMap = {}
            for successor in barrier.successors():
                targets[successor] = starts[self.cfg.following[barrier][successor]]
            condition = terminator.operands[0]
            if isinstance(condition, Instruction):
                targets[condition] = self._decision(condition, b)
            else:
                targets.setdefault(condition, self.values.get(condition, condition))
            b.insert(clone_instruction(terminator, targets)).metadata.pop("llvm.loop", None)

    def _decision_slots(self) -> dict[Instruction, Slot]:
        """Slots for conditions that are kept in a context array, of which the first element may be stale."""
        conditions = (b.terminator.operands[0] for b in self.cfg.barriers if b.terminator.operands)
        return {
            c: self._slot(c, "decision")
            for c in dict.fromkeys(conditions)
            if isinstance(c, Instruction) and c in self.layout
        }

    def _decision(self, condition: Instruction, b: Builder) -> Value:
        """What the work-items agreed on, for a deciding branch: the value of the first one."""
        if is_position(condition):
            dimension = condition.arguments[0] if condition.arguments else None
            return self._first_item(b).lower(condition, dimension, b)
        slot = self.slots.get(condition) or self.decisions.get(condition)
        if slot is not None:
            place = slot(b)
        else:
            first: Value = const_int(I64, 0)
            if self.sub_groups is not None:
                first = b.cast("zext", self.sub_groups.first(b), I64)
            place = self.layout.address(b, self.context, self.capacity(), condition, first)
        return read_slot(b, condition.type, place, condition.name)[0]

    def _first_item(self, b: Builder) -> ItemPositions:
        """The positions of the first of the work-items that run together."""
        if self.sub_groups is None:
            return ItemPositions(self.group, b, [const_int(I32, 0)] * 3)
        zero = const_int(I32, 0)
        first = self.sub_groups.first(b)
        item, ids = self.sub_groups.positions(b, first, zero)
        count = self.sub_groups.count(b, first)
        return ItemPositions(self.group, b, ids, known=self.of_sub_group(b, first, count, zero, item))

    def of_sub_group(
        self, b: Builder, first: Value, count: Value, lane: Value, item: Value
    ) -> dict[str, Value]:
        """The results of sub-group queries for a work-item."""
        assert self.sub_groups is not None
        return {
            "get_local_linear_id": item,
            "get_sub_group_local_id": lane,
            "get_sub_group_id": b.binary("udiv", first, const_int(I32, self.sub_groups.size), "sub_group"),
            "get_sub_group_size": count,
            "get_max_sub_group_size": self.sub_groups.largest(),
            "get_num_sub_groups": self.sub_groups.number(),
            "get_enqueued_num_sub_groups": self.sub_groups.enqueued_number(),
        }

    def _region(self, number: int, region: ParallelRegion, rest: bool) -> Block:
        """Adds the loops of a region; returns where they start."""
        if region.is_empty:
            return (self.rest if rest else self.barriers)[region.successors[0]]
        first = len(self.function.blocks)
        weaver = _RegionWeaver(self, region, number, rest)
        start = weaver.run()
        copies = {b: copy for b in region.blocks if isinstance(copy := weaver.values[b], Block)}
        blocks = tuple(self.function.blocks[first:])
        self.code.append(RegionCode(number, weaver.access_group, blocks, copies))
        return start

    def capacity(self) -> Value:
        """The number of elements of a context array."""
        if self._capacity is None:
            (x, y, z), e = self.group.fixed_size, self.entry
            if x is not None and y is not None and z is not None:
                self._capacity = const_int(I64, capacity(x * y * z))
            else:
                rounded = e.add(self._items(), const_int(I64, ITEM_ROUNDING - 1))
                self._capacity = e.binary("and", rounded, const_int(I64, -ITEM_ROUNDING), "capacity")
        return self._capacity

    def space_tests(self) -> SpaceTests:
        """What tells where generic pointers point to; used when all context arrays have their places."""
        if self._space_tests is None:
            e, layout = self.entry, self.layout
            arrays = e.mul(const_int(I64, layout.item_bytes), self.capacity())
            size = e.add(arrays, const_int(I64, layout.group_bytes))
            launch, local = self._arenas
            self._space_tests = SpaceTests(e, launch, local, self.context, size, self._by_value)
        return self._space_tests

    def _items(self) -> Value:
        """The number of work-items of a group."""
        e, g = self.entry, self.group
        return e.mul(e.mul(g.extent(0), g.extent(1)), g.extent(2))


class _RegionWeaver:
    """Copies one region into its work-item loops; `rest`: for groups with finished work-items."""

    def __init__(self, weaver: _Weaver, region: ParallelRegion, number: int, rest: bool) -> None:
        name = f"{'rest' if rest else 'region'}.{number}"
        self.weaver, self.region, self.name, self.rest = weaver, region, name, rest
        self.inside = frozenset(region.blocks)
        sub_groups = weaver.sub_groups
        self.for_first_item = is_first_item_region(region, sub_groups is not None)
        tag = number if weaver.numbers_loops else None
        self.loops = loops = WorkItemLoops(
            weaver.function, weaver.group, name, self.for_first_item, weaver.choices, tag, sub_groups
        )
        self.prologue = p = Builder(loops.prologue)
        if sub_groups is None:
            self.positions = ItemPositions(weaver.group, p, loops.counters, weaver.choices.order)
        else:
            known = weaver.of_sub_group(p, loops.first, loops.count, loops.lane, loops.item)
            self.positions = ItemPositions(weaver.group, p, loops.counters, known=known)
        self.slots: dict[Instruction, Value] = {}
        self.values: ValueMap = dict(weaver.values)
        self.at_start = Recursion(self._recompute, Value(VOID), dict(weaver.values))
        self.loaded: dict[Instruction, Value] = {}
        self.addresses: dict[Instruction, Value] = {}
        self.access_group = weaver.module.add_metadata("distinct !{}")

    def run(self) -> Block:
        region, function = self.region, self.weaver.function
        for memory in self.weaver.variables.context_memory:
            self.values[memory] = self.at_start.known[memory] = self._address(memory)
        self._load_variables()
        for block in region.blocks:
            self.values[block] = function.add_block(block.name)
        vectorize = region in self.weaver.vectorized and not self.rest
        latch, end = self.loops.close(self.access_group, vectorize)
        exits = self._exits(latch)
        made: list[tuple[Instruction, Instruction]] = []
        lowered: list[tuple[Instruction, Instruction]] = []
        for block in region.blocks:
            copy = self.values[block]
            assert isinstance(copy, Block)
            for instruction in block.instructions:
                if work_item_function(instruction) is not None:
                    if not is_position(instruction):
                        lowered.append((instruction, self._query(instruction, copy)))
                    continue
                if space_query(instruction) is not None:
                    lowered.append((instruction, self._test_space(instruction, copy)))
                    continue
                new = self._copy(instruction, copy, exits)
                if new is not None:
                    made.append((instruction, new))
        self._connect(made)
        made += lowered
        self._store_variables(made)
        self._start(self.values[region.entry], latch)  # type: ignore[arg-type]
        self._join_definitions(made)
        self._leave(end)
        return self.loops.pre

    def _start(self, entry: Block, latch: Block) -> None:
        """Goes from the prologue to the region, if the work-item is not finished."""
        stragglers, b = self.weaver.stragglers, self.prologue
        b.before = None
        if self.rest and stragglers is not None and not self.for_first_item:
            b.cond_br(stragglers.is_finished(b, self.positions.context_index()), latch, entry)
        else:
            b.br(entry)

    # Reading and writing variables

    def _address(self, variable: Instruction) -> Value:
        w = self.weaver
        item = self.positions.context_index()
        return w.layout.address(self.prologue, w.context, w.capacity(), variable, item)

    def _load_variables(self) -> None:
        w = self.weaver
        before = Builder(self.loops.pre, self.loops.pre.terminator)
        for variable in w.variables.live_in[self.region]:
            if variable in w.slots:
                place = self._slot(variable, w.slots)
                value, _ = read_slot(before, variable.type, place, variable.name)
            elif variable in w.layout:
                address = self.addresses[variable] = self._address(variable)
                value, load = read_slot(self.prologue, variable.type, address, variable.name)
                self._parallel(load)
            else:
                continue  # recomputed where it is needed
            self.loaded[variable] = value
            self.values[variable] = value

    def _store_variables(self, made: list[tuple[Instruction, Instruction]]) -> None:
        w = self.weaver
        for original, new in made:
            if original not in w.slots and original not in w.layout:
                continue
            if original.opcode == "alloca":
                continue
            block = new.parent
            index = block.first_non_phi if new.opcode == "phi" else block.index(new) + 1
            b = Builder(block, block.instructions[index])
            if original in w.slots:
                write_slot(b, new, self._slot(original, w.slots))
            else:
                self._parallel(write_slot(b, new, self._slot_in_prologue(original)))
            if original in w.decisions:
                write_slot(b, new, self._slot(original, w.decisions))

    def _slot(self, variable: Instruction, slots: Mapping[Instruction, Slot]) -> Value:
        """The place of a variable that is kept once, found before the loops."""
        if variable not in self.slots:  # a variable has a slot or a decision's slot, not both
            self.slots[variable] = slots[variable](Builder(self.loops.pre, self.loops.pre.terminator))
        return self.slots[variable]

    def _slot_in_prologue(self, variable: Instruction) -> Value:
        address = self.addresses.get(variable)
        return address if address is not None else self._address(variable)

    # Copying

    def _copy(
        self, instruction: Instruction, block: Block, exits: Mapping[Block, Block]
    ) -> Instruction | None:
        if instruction.opcode == "alloca" or _is_dropped(instruction):
            return None
        if instruction in self.weaver.variables.recomputed and instruction not in self.weaver.slots:
            return None
        new = clone_instruction(instruction, {})
        if instruction.is_terminator:
            new.set_operands([exits.get(o, o) for o in new.operands])  # type: ignore[call-overload]
        if instruction.opcode == "phi":
            kept = [pair for pair in instruction.incoming() if pair[1] in self.inside]
            new.set_operands([part for pair in kept for part in pair])
        for key in _DROPPED_METADATA:
            new.metadata.pop(key, None)
        block.append(new)
        if (new.info.reads or new.info.writes) and not self._is_ordered(instruction):
            self._parallel(new)
        self.values[instruction] = new
        return new

    def _query(self, call: Instruction, block: Block) -> Instruction:
        """The value of a work-item function in a dimension that is known at run time only."""
        made = self.positions.lower(call, self._resolve(call.arguments[0]), Builder(block))
        assert isinstance(made, Instruction)
        self.values[call] = made
        return made

    def _test_space(self, call: Instruction, block: Block) -> Instruction:
        """Whether a generic pointer points into an address space."""
        space = space_query(call)
        assert space is not None
        made = self.weaver.space_tests().test(Builder(block), self._resolve(call.arguments[0]), space)
        assert isinstance(made, Instruction)
        self.values[call] = made
        return made

    def _is_ordered(self, instruction: Instruction) -> bool:
        """Whether an access is volatile or atomic, or to private memory that work-items use in turn."""
        # Atomic functions are plain loads and stores of local memory once they are inlined.
        atomic = is_atomic_function(instruction) or instruction.attributes.get("atomic")
        ordered = atomic or instruction.attributes.get("volatile")
        return bool(ordered) or any(o in self.weaver.unshareable for o in instruction.operands)

    def _parallel(self, instruction: Instruction) -> None:
        instruction.metadata["llvm.access.group"] = self.access_group

    def _connect(self, made: list[tuple[Instruction, Instruction]]) -> None:
        """Operands of the copies become values of the new function."""
        own = set(self.values.values())
        for _, new in made:
            for index, operand in enumerate(new.operands):
                if isinstance(operand, Instruction | Block | Argument) and operand not in own:
                    new.set_operand(index, self._resolve(operand))

    def _resolve(self, value: Value) -> Value:
        """The value in this region of a value of the kernel."""
        found = self.values.get(value)
        if found is None:
            found = self.values[value] = self.at_start(value)
        return found

    def _recompute(self, value: Value) -> Definition[Value, Value]:
        """Computes a value at the start of the work-item, out of what is known there."""
        if not isinstance(value, Instruction):
            return value
        if work_item_function(value) is not None:
            dimension = value.arguments[0] if value.arguments else None
            return self.positions.lower(value, dimension, self.prologue)
        operands: ValueMap = {}
        for operand in value.operands:
            operands[operand] = yield operand
        return self.prologue.insert(clone_instruction(value, operands))

    def _join_definitions(self, made: list[tuple[Instruction, Instruction]]) -> None:
        """Phis for variables that this region both reads at its start and recomputes."""
        for original, new in made:
            start = self.loaded.get(original)
            if start is None:
                continue
            variable = SSAVariable(new.type, new.name)
            variable.define(self.prologue.block, start)
            home = new.parent
            variable.define(home, new)
            for user in list(new.users):
                self._rewire(user, new, home, variable)
            variable.simplify()

    def _rewire(self, user: Instruction, new: Instruction, home: Block, variable: SSAVariable) -> None:
        if user.opcode == "phi":
            for index in range(0, len(user.operands), 2):
                if user.operands[index] is new:
                    user.set_operand(index, variable.at_end(user.operands[index + 1]))  # type: ignore[arg-type]
        elif user.parent is not home or _precedes(user, new, home):
            user.replace_operand(new, variable.at_start(user.parent))

    # Leaving

    def _exits(self, latch: Block) -> dict[Block, Block]:
        """For each barrier that the region can reach, the block that a work-item then goes to."""
        successors, stragglers = self.region.successors, self.weaver.stragglers
        if len(successors) < 2 or stragglers is None:
            return dict.fromkeys(successors, latch)
        ways = {}
        item = self.positions.context_index()
        for number, successor in enumerate(successors):
            way = self.weaver.function.add_block(f"{self.name}.reached")
            b = Builder(way)
            self._parallel(stragglers.note(b, item, number))
            b.br(latch)
            ways[successor] = way
        return ways

    def _leave(self, end: Block) -> None:
        w, successors = self.weaver, self.region.successors
        if not successors:
            Builder(end).emit("unreachable", VOID, [])
        elif len(successors) == 1 or w.stragglers is None:
            Builder(end).br((w.rest if self.rest else w.barriers)[successors[0]])
        else:
            goals = [((w.rest if self.rest else w.barriers)[s], w.rest[s]) for s in successors]
            ends = [n for n, s in enumerate(successors) if s.terminator.opcode == "ret"]
            w.stragglers.judge(end, self.name, goals, ends[0] if ends else -1, self.rest)


def _on_small_stacks(variables: KernelVariables) -> KernelVariables:
    """Large private memory that work-items use in turn gets a place for each: some may wait meanwhile."""
    large = tuple(
        m for m in variables.shared_memory if memory_size(m, m.attributes["allocated"])[0] > STACK_LIMIT
    )
    small = tuple(m for m in variables.shared_memory if m not in large)
    return replace(variables, shared_memory=small, context_memory=variables.context_memory + large)


def _worth_vectorizing(cfg: BarrierCFG) -> set[ParallelRegion]:
    """The regions whose loops are not too large to vectorize."""
    sizes = {region: sum(len(b.instructions) for b in region.blocks) for region in cfg.regions}
    chosen = set()
    squares = 0
    for region in sorted(cfg.regions, key=sizes.__getitem__):
        squares += sizes[region] ** 2
        if squares <= VECTORIZED_SQUARES:
            chosen.add(region)
    return chosen


def _waits_in(barrier: Block) -> bool:
    """Whether the whole work-group waits at a barrier."""
    return is_work_group_barrier(barrier.instructions[0])


def _precedes(user: Instruction, new: Instruction, block: Block) -> bool:
    return block.index(user) < block.index(new)


def _is_dropped(instruction: Instruction) -> bool:
    return instruction.callee_name.startswith(_DROPPED_INTRINSICS)
