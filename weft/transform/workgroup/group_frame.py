"""The parts of a work-group function that all parallel regions share: arguments, sizes, memory of variables.

The entry of the function computes them: the kernel's parameters from the argument block and the local arena,
sizes and group ids (`positions.py`), a slot for each uniform variable, the addresses of context arrays
(`context_arrays.py`), and the state of sub-groups that take turns (`sub_groups.py`).
"""

from collections.abc import Mapping, Sequence

from weft import abi
from weft.analysis.barrier_cfg import BarrierCFG
from weft.analysis.group_functions import is_group_memory
from weft.analysis.kernel_variables import KernelVariables, derived_pointers, is_position
from weft.analysis.work_items import is_work_group_barrier
from weft.dataclasses import dataclass, replace
from weft.ir import Argument, Block, Function, GlobalVariable, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.types import I32, I64, PTR, VOID, ArrayType, FunctionType, alignment_of, size_of
from weft.ir.values import const_int

from .context_arrays import (
    SMALL_STACK_LIMIT,
    STACK_LIMIT,
    STACK_LIMIT_OF_ALL,
    ContextArena,
    memory_size,
)
from .independent_sub_groups import IndependentTurns
from .positions import GroupPositions, ItemPositions, group_range
from .private_arrays_by_element import by_element
from .slots import Slot, read_slot, stack_slot
from .space_tests import SpaceTests
from .stragglers import Items, Stragglers
from .sub_groups import SubGroups, Turns
from .work_item_loops import LoopChoices

SIGNATURE = FunctionType(VOID, (PTR, PTR, PTR, PTR, I64, I64, I64))
_PARAMETERS = (
    ("launch", ("noalias", "readonly", "align 8", f"dereferenceable({abi.LOCAL_BYTES})")),
    ("args", ("noalias", "readonly", f"align {abi.ARENA_ALIGNMENT}")),
    ("local", ("noalias", f"align {abi.ARENA_ALIGNMENT}")),
    ("context", ("noalias", f"align {abi.ARENA_ALIGNMENT}")),
    *((f"group.{axis}", ()) for axis in "xyz"),
)


@dataclass(frozen=True)
class Independence:
    """Stack requirements of a kernel whose sub-groups may wait for one another.

    `lanes`: the most work-items that run at a time; `function_bytes`: the stack needed by called functions.
    """

    lanes: int
    function_bytes: int


@dataclass(frozen=True)
class Placement:
    """The source of a kernel parameter: a slot of the argument block, or the local arena."""

    kind: str  # "value", "byval", "local" (a slot that holds an arena offset) or "automatic"
    offset: int
    size: int = 0  # of a structure that is passed by value


@dataclass(frozen=True)
class GroupForm:
    """The properties of the work-groups that a work-group function runs.

    `extents` is the local size, or the extents of a tile (None: a group of any size). Global ids have at most
    `id_bits`, one of `abi.ID_BITS`. `sub_group_size` is 0 for kernels that do not use sub-groups.
    `non_uniform`: the last groups of the range may be smaller, and `extents` leave the size open. `jammed`:
    each work-item of the kernel performs the work of so many work-items. `independent`: sub-groups may wait
    for one another.
    """

    extents: abi.Extents | None
    id_bits: int = abi.SMALL_IDS
    sub_group_size: int = 0
    non_uniform: bool = False
    jammed: tuple[int, int, int] = (1, 1, 1)
    independent: Independence | None = None


class GroupFrame:
    """An empty work-group function next to its kernel, and the values that its entry computes."""

    def __init__(
        self,
        kernel: Function,
        name: str,
        cfg: BarrierCFG,
        variables: KernelVariables,
        placements: Mapping[Argument, Placement],
        form: GroupForm,
        choices: LoopChoices,
    ) -> None:
        self.choices = choices
        self.function = _added_function(kernel, name, None if form.id_bits > abi.INT_IDS else form.extents)
        launch, args, local, context, *groups = self.function.arguments
        if form.independent is not None:
            # Other sub-groups write to local memory while one waits.
            local.attributes = tuple(a for a in local.attributes if a != "noalias")
            variables = _on_small_stacks(variables)
        self.variables = variables
        self.entry = Builder(self.function.add_block("entry"))
        self.group = GroupPositions(
            self.entry, launch, list(groups), form.extents, form.id_bits, form.non_uniform, form.jammed
        )
        self.arena = ContextArena(self.entry, self.group, context)
        self.sub_groups: SubGroups | None = None
        self.turns: Turns | None = None
        if form.sub_group_size:
            self.sub_groups = SubGroups(self.entry, self.group, form.sub_group_size)
            self.turns = self._turns(self.sub_groups, cfg.barriers, form.independent)
        self._arenas = launch, local
        self._space_tests: SpaceTests | None = None
        self._by_value: list[tuple[Value, int]] = []
        self.values: ValueMap = {}
        self._stack_left = STACK_LIMIT_OF_ALL
        for parameter in kernel.arguments:
            if is_group_memory(parameter.name):
                self.values[parameter] = self._group_memory(parameter)
            else:
                self.values[parameter] = self._parameter(parameter, placements[parameter], args, local)
        layout = self.arena.layout
        for variable in variables.context:
            layout.add(variable, variable.type)
        for memory in variables.context_memory:
            layout.add(memory, memory.attributes["allocated"], by_element(memory, choices.lanes))
        self.stragglers: Stragglers | None = None
        if any(len(region.successors) > 1 for region in cfg.regions):
            self.stragglers = Stragglers(self.function, self.arena, self._together())
        self.slots = {v: self._slot(v, "uniform") for v in variables.uniform}
        self.decisions = self._decision_slots(cfg.barriers) if self.stragglers is not None else {}
        self.unshareable: set[Value] = set()
        for memory in variables.shared_memory:
            self.values[memory] = self._shared(memory)
            self.unshareable |= derived_pointers(memory)[0].keys()

    def _turns(
        self, sub_groups: SubGroups, barriers: Sequence[Block], independent: Independence | None
    ) -> Turns:
        waits = any(waits_in(b) and b.terminator.opcode != "ret" for b in barriers[1:])
        if independent is None:
            return Turns(self.entry, sub_groups, self.arena, waits)
        shared_bytes = sum(memory_size(m, m.attributes["allocated"])[0] for m in self.variables.shared_memory)
        on_stack = independent.lanes * shared_bytes + independent.function_bytes
        return IndependentTurns(self.entry, sub_groups, self.arena, waits, on_stack)

    def _together(self) -> Items:
        """Return a function that emits the range of indices of the work-items that run together."""
        self.arena.capacity()  # emit it before the range
        sub_groups = self.sub_groups
        if sub_groups is None:
            end = self.group.items()
            return lambda b: (const_int(I64, 0), end)

        def of_sub_group(b: Builder) -> tuple[Value, Value]:
            first = sub_groups.first(b)
            last = b.add(first, sub_groups.count(b, first))
            return b.cast("zext", first, I64), b.cast("zext", last, I64)

        return of_sub_group

    def _slot(self, variable: Instruction, purpose: str) -> Slot:
        """Allocate a slot for a variable that all work-items that run together share.

        If sub-groups take turns, each has its own.
        """
        if self.turns is None or not self.turns.waits:
            slot = stack_slot(self.entry, variable.type, f"{variable.name or 'value'}.{purpose}")
            return lambda b: slot
        size = max(size_of(variable.type), alignment_of(variable.type))
        start, sub_groups = self.arena.layout.add_array(size), self.sub_groups
        assert sub_groups is not None

        def of_sub_group(b: Builder) -> Value:
            array = self.arena.array(b, start)
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
        """Allocate the memory by which group functions exchange values: in the arena or on the stack."""
        e, name = self.entry, parameter.name or ""
        variable = self.function.parent.globals[name]
        assert isinstance(variable, GlobalVariable)
        type = variable.value_type
        shared = isinstance(self.turns, IndependentTurns)  # by all stacks
        if isinstance(type, ArrayType) or shared:
            size = size_of(type.element if isinstance(type, ArrayType) else type)
            memory = self.arena.array(e, self.arena.layout.add_array(size))
        else:
            memory = e.alloca(type, alignment_of(type))
        return e.cast("addrspacecast", memory, parameter.type, name)

    def _shared(self, memory: Instruction) -> Value:
        """Allocate private memory that work-items share."""
        size, _ = memory_size(memory, memory.attributes["allocated"])
        if size <= min(STACK_LIMIT, max(self._stack_left, SMALL_STACK_LIMIT)):
            self._stack_left -= size
            return self.entry.insert(clone_instruction(memory, self.values))
        return self.arena.shared(memory)

    def _decision_slots(self, barriers: Sequence[Block]) -> dict[Instruction, Slot]:
        """Allocate slots for conditions in context arrays, because the array's first element may be stale."""
        conditions = (b.terminator.operands[0] for b in barriers if b.terminator.operands)
        return {
            c: self._slot(c, "decision")
            for c in dict.fromkeys(conditions)
            if isinstance(c, Instruction) and c in self.arena.layout
        }

    def decision(self, condition: Instruction, b: Builder) -> Value:
        """Emit the value on which work-items agreed at a deciding branch: that of the first work-item."""
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
            place = self.arena.element(b, condition, first)
        return read_slot(b, condition.type, place, condition.name)[0]

    def _first_item(self, b: Builder) -> ItemPositions:
        """Return the positions of the first of the work-items that run together."""
        if self.sub_groups is None:
            return ItemPositions(self.group, b, [const_int(I32, 0)] * 3)
        zero = const_int(I32, 0)
        first = self.sub_groups.first(b)
        item, ids = self.sub_groups.positions(b, first, zero)
        count = self.sub_groups.count(b, first)
        return ItemPositions(self.group, b, ids, known=self.sub_groups.queries(b, first, count, zero, item))

    def space_tests(self) -> SpaceTests:
        """Return the tests of generic pointers; call it once all context arrays are allocated."""
        if self._space_tests is None:
            start, size = self.arena.bounds()
            launch, local = self._arenas
            self._space_tests = SpaceTests(self.entry, launch, local, start, size, self._by_value)
        return self._space_tests


def _added_function(kernel: Function, name: str, extents: abi.Extents | None) -> Function:
    """Add an empty work-group function next to a kernel; `extents` are set if they bound group ids."""
    function = kernel.parent.add_function(name, SIGNATURE)
    function.suffix = kernel.suffix
    for argument, (label, attributes) in zip(function.arguments, _PARAMETERS, strict=True):
        argument.name, argument.attributes = label, attributes
    if extents is not None:
        for argument, size in zip(function.arguments[4:], extents, strict=True):
            argument.attributes = group_range(size)
    return function


def _on_small_stacks(variables: KernelVariables) -> KernelVariables:
    """Turn large shared private memory into context arrays: several work-items may use it at a time."""
    large = tuple(
        m for m in variables.shared_memory if memory_size(m, m.attributes["allocated"])[0] > SMALL_STACK_LIMIT
    )
    small = tuple(m for m in variables.shared_memory if m not in large)
    return replace(variables, shared_memory=small, context_memory=variables.context_memory + large)


def waits_in(barrier: Block) -> bool:
    """Whether the whole work-group waits at a barrier."""
    return is_work_group_barrier(barrier.instructions[0])
