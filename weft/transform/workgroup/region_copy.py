"""Copy a parallel region into its work-item loops, and connect its values to variables.

A region reads the values it needs at its start: uniform variables once, before the loops, because work-items
change them as they run; context arrays at the start of each iteration. A value that a later region needs is
stored to its variable (see `kernel_variables`) where it is computed. Where a region both reads a variable and
recomputes it, phis join the two (`ir/ssa.py`). A region with several successors records which barrier was
reached (see `stragglers`).
"""

from collections.abc import Mapping

from weft.analysis.barrier_cfg import ParallelRegion
from weft.analysis.cross_lane import is_cross_lane
from weft.analysis.first_item import is_first_item_region
from weft.analysis.kernel_variables import is_position
from weft.analysis.memory_effects import is_atomic_function
from weft.analysis.work_items import work_item_function
from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Instruction, Value
from weft.ir.address_spaces import space_query
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.ssa import SSAVariable
from weft.ir.types import VOID
from weft.recursion import Definition, Recursion

from .group_frame import GroupFrame
from .positions import ItemPositions
from .slots import Slot, read_slot, write_slot
from .work_item_loops import WorkItemLoops

# Scopes of noalias data are those of one work-item's calls; they are meaningless when work-items share a
# function.
_DROPPED_METADATA = ("noalias", "alias.scope", "dbg")
_DROPPED_INTRINSICS = ("llvm.lifetime.", "llvm.experimental.noalias.scope.decl")

Targets = Mapping[Block, tuple[Block, Block]]


@dataclass(frozen=True)
class RegionCode:
    """The start of a region's loops, all their blocks, the copies by original block, and the access group."""

    start: Block
    access_group: str
    blocks: tuple[Block, ...]
    copies: dict[Block, Block]


class RegionCopy:
    """Copies one region into its work-item loops.

    `targets` maps each barrier that the region can reach to the blocks that represent it in a group without
    and with finished work-items. `rest`: some work-items may be finished. `tag` is the number in the loops'
    metadata.
    """

    def __init__(
        self,
        frame: GroupFrame,
        region: ParallelRegion,
        name: str,
        targets: Targets,
        rest: bool,
        tag: int | None,
    ) -> None:
        self.frame, self.region, self.name, self.rest = frame, region, name, rest
        self.targets = targets
        self.inside = frozenset(region.blocks)
        self._first_block = len(frame.function.blocks)
        sub_groups = frame.sub_groups
        self.for_first_item = is_first_item_region(region, sub_groups is not None)
        self.loops = loops = WorkItemLoops(
            frame.function, frame.group, name, self.for_first_item, frame.choices, tag, sub_groups
        )
        self.prologue = p = Builder(loops.prologue)
        if sub_groups is None:
            self.positions = ItemPositions(frame.group, p, loops.counters, frame.choices.order)
        else:
            known = sub_groups.queries(p, loops.first, loops.count, loops.lane, loops.item)
            self.positions = ItemPositions(frame.group, p, loops.counters, known=known)
        self.slots: dict[Instruction, Value] = {}
        self.values: ValueMap = dict(frame.values)
        self.at_start = Recursion(self._recompute, Value(VOID), dict(frame.values))
        self.loaded: dict[Instruction, Value] = {}
        self.addresses: dict[Instruction, Value] = {}
        self.access_group = frame.function.parent.add_metadata("distinct !{}")

    def run(self, vectorize: bool) -> RegionCode:
        """Add the loops; `vectorize`: LLVM may vectorize them."""
        region, function = self.region, self.frame.function
        for memory in self.frame.variables.context_memory:
            self.values[memory] = self.at_start.known[memory] = self._address(memory)
        self._load_variables()
        copies = {block: function.add_block(block.name) for block in region.blocks}
        for block, copy in copies.items():
            self.values[block] = copy
        latch, end = self.loops.close(self.access_group, vectorize)
        exits = self._exits(latch)
        copied: list[tuple[Instruction, Instruction]] = []
        lowered: list[tuple[Instruction, Instruction]] = []
        for block, copy in copies.items():
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
                    copied.append((instruction, new))
        self._connect(copied)
        copied += lowered
        self._store_variables(copied)
        self._start(copies[region.entry], latch)
        self._join_definitions(copied)
        self._leave(end)
        blocks = tuple(function.blocks[self._first_block :])
        return RegionCode(self.loops.pre, self.access_group, blocks, copies)

    def _start(self, entry: Block, latch: Block) -> None:
        """Branch from the prologue to the region, unless the work-item is finished."""
        stragglers, b = self.frame.stragglers, self.prologue
        b.before = None
        if self.rest and stragglers is not None and not self.for_first_item:
            b.cond_br(stragglers.is_finished(b, self.positions.context_index()), latch, entry)
        else:
            b.br(entry)

    # Reading and writing variables

    def _address(self, variable: Instruction) -> Value:
        return self.frame.arena.element(self.prologue, variable, self.positions.context_index())

    def _load_variables(self) -> None:
        w = self.frame
        before = Builder(self.loops.pre, self.loops.pre.terminator)
        for variable in w.variables.live_in[self.region]:
            if variable in w.slots:
                place = self._slot(variable, w.slots)
                value, _ = read_slot(before, variable.type, place, variable.name)
            elif variable in w.arena.layout:
                address = self.addresses[variable] = self._address(variable)
                value, load = read_slot(self.prologue, variable.type, address, variable.name)
                self._parallel(load)
            else:
                continue  # recomputed where it is needed
            self.loaded[variable] = value
            self.values[variable] = value

    def _store_variables(self, copied: list[tuple[Instruction, Instruction]]) -> None:
        w = self.frame
        # Lanes do not take turns. No work-item reads a slot before all have written to it.
        in_lanes = any(is_cross_lane(original) for original, _ in copied)
        for original, new in copied:
            if original not in w.slots and original not in w.arena.layout:
                continue
            if original.opcode == "alloca":
                continue
            b, stores = Builder.after(new), []
            if original in w.slots:
                stores.append(write_slot(b, new, self._slot(original, w.slots)))
            else:
                self._parallel(write_slot(b, new, self._slot_in_prologue(original)))
            if original in w.decisions:
                stores.append(write_slot(b, new, self._slot(original, w.decisions)))
            for store in stores if in_lanes else ():
                self._parallel(store)

    def _slot(self, variable: Instruction, slots: Mapping[Instruction, Slot]) -> Value:
        """Return the address of a variable that is stored once, computed before the loops."""
        if variable not in self.slots:  # a variable has a slot or a decision's slot, not both
            self.slots[variable] = slots[variable](Builder(self.loops.pre, self.loops.pre.terminator))
        return self.slots[variable]

    def _slot_in_prologue(self, variable: Instruction) -> Value:
        address = self.addresses.get(variable)
        return address if address is not None else self._address(variable)

    # Copying

    def _copy(
        self, instruction: Instruction, block: Block, exits: Mapping[Value, Block]
    ) -> Instruction | None:
        if instruction.opcode == "alloca" or _is_dropped(instruction):
            return None
        if instruction in self.frame.variables.recomputed and instruction not in self.frame.slots:
            return None
        new = clone_instruction(instruction, {})
        if instruction.is_terminator:
            new.set_operands([exits.get(o, o) for o in new.operands])
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
        """Emit a work-item function whose dimension is known only at run time."""
        result = self.positions.lower(call, self._resolve(call.arguments[0]), Builder(block))
        assert isinstance(result, Instruction)
        self.values[call] = result
        return result

    def _test_space(self, call: Instruction, block: Block) -> Instruction:
        """Emit the test whether a generic pointer points into an address space."""
        space = space_query(call)
        assert space is not None
        result = self.frame.space_tests().test(Builder(block), self._resolve(call.arguments[0]), space)
        assert isinstance(result, Instruction)
        self.values[call] = result
        return result

    def _is_ordered(self, instruction: Instruction) -> bool:
        """Whether an access is volatile or atomic, or to private memory that work-items share."""
        # Atomic functions are plain loads and stores of local memory once they are inlined.
        atomic = is_atomic_function(instruction) or instruction.attributes.get("atomic")
        ordered = atomic or instruction.attributes.get("volatile")
        return bool(ordered) or any(o in self.frame.unshareable for o in instruction.operands)

    def _parallel(self, instruction: Instruction) -> None:
        instruction.metadata["llvm.access.group"] = self.access_group

    def _connect(self, copied: list[tuple[Instruction, Instruction]]) -> None:
        """Replace the operands of the copies by values of the new function."""
        own = set(self.values.values())
        for _, new in copied:
            for index, operand in enumerate(new.operands):
                if isinstance(operand, Instruction | Block | Argument) and operand not in own:
                    new.set_operand(index, self._resolve(operand))

    def _resolve(self, value: Value) -> Value:
        """Return the value in this region of a value of the kernel."""
        resolved = self.values.get(value)
        if resolved is None:
            resolved = self.values[value] = self.at_start(value)
        return resolved

    def _recompute(self, value: Value) -> Definition[Value, Value]:
        """Compute a value at the start of the work-item, from values that are known there."""
        if not isinstance(value, Instruction):
            return value
        if work_item_function(value) is not None:
            dimension = value.arguments[0] if value.arguments else None
            return self.positions.lower(value, dimension, self.prologue)
        operands: ValueMap = {}
        for operand in value.operands:
            operands[operand] = yield operand
        return self.prologue.insert(clone_instruction(value, operands))

    def _join_definitions(self, copied: list[tuple[Instruction, Instruction]]) -> None:
        """Add phis for variables that this region both reads at its start and recomputes."""
        for original, new in copied:
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
            for number, (value, source) in enumerate(list(user.incoming())):
                if value is new:
                    user.set_operand(2 * number, variable.at_end(source))
        elif user.parent is not home or _precedes(user, new, home):
            user.replace_operand(new, variable.at_start(user.parent))

    # Leaving

    def _exits(self, latch: Block) -> dict[Value, Block]:
        """Map each barrier that the region can reach to the block to which a work-item then branches."""
        successors, stragglers = self.region.successors, self.frame.stragglers
        if len(successors) < 2 or stragglers is None:
            return dict.fromkeys(successors, latch)
        exits: dict[Value, Block] = {}
        item = self.positions.context_index()
        for number, successor in enumerate(successors):
            exits[successor] = self.frame.function.add_block(f"{self.name}.reached")
            b = Builder(exits[successor])
            self._parallel(stragglers.record(b, item, number))
            b.br(latch)
        return exits

    def _leave(self, end: Block) -> None:
        successors, stragglers = self.region.successors, self.frame.stragglers
        goals = [self.targets[s] for s in successors]
        if not successors:
            Builder(end).emit("unreachable", VOID, [])
        elif len(successors) == 1 or stragglers is None:
            Builder(end).br(goals[0][0])
        else:
            ends = [n for n, s in enumerate(successors) if s.terminator.opcode == "ret"]
            stragglers.continue_after(end, self.name, goals, ends[0] if ends else -1, self.rest)


def _precedes(user: Instruction, new: Instruction, block: Block) -> bool:
    return block.index(user) < block.index(new)


def _is_dropped(instruction: Instruction) -> bool:
    return instruction.callee_name.startswith(_DROPPED_INTRINSICS)
