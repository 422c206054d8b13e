"""Keep in a register what a loop of a work-item loads from and stores to the same address again and again.

    for (k = 0; k < n; k++)            float sum;
      c[i] += a[k];                    if (0 < n) {
                              becomes    sum = c[i];
                                         for (k = 0; k < n; k++) sum += a[k];
                                         c[i] = sum;
                                       }

This is register promotion (K. Cooper, J. Lu: *Register Promotion in C Programs*, 1997), as in LLVM's LICM.
LLVM sees the loop when work-items have become lanes: a gather and a scatter, which it does not promote.

The address must be loop-invariant. No other access of the loop may touch the same bytes
(`analysis/locations.py`); buffers do not overlap by `restrict` or in this form of launches. Nothing in the
loop may synchronize work-items: barriers, atomics, fences, volatile accesses, calls with effects. Between two
points of synchronization no other work-item may look at the bytes, so when they are written does not matter.
That they are written, or read, does:

- A load is inserted before the loop only if each run of the loop accesses the location in its first
  iteration, or if an access right before the loop did. A loop that tests first may have no iteration: the
  test is then copied to the preheader, which goes around the loop (loop rotation).
- A store is inserted at an exit only if a store was executed on each path there, or right before the loop. If
  only some iterations store, a flag tells whether one did, and the store is executed if it is set.

The outermost loop of a nest that qualifies is chosen. A store right before the loop gives the first value; it
is removed if nothing reads it. A load right after the loop gets the value, and a store there makes the
inserted one superfluous.

Requires and keeps LCSSA and loops with a preheader. Runs on kernels, before parallel regions are formed.
Refuses a location (`NotPromoted`) that does not qualify: it stays in memory. Linear in the depth of loops
times their instructions; a loop's locations, at most `MOST`, are each compared with all of its accesses.
"""

from collections.abc import Callable, Mapping
from enum import unique

from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction, recompute
from weft.ir.dominators import dominators
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import erase_unused
from weft.ir.ssa import SSAVariable
from weft.ir.types import I1, Type
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks

from .promotion_plan import LoopAccesses, Plan, accessed


@unique
class Promotion(Message):
    """What became of a location that a loop accesses in each iteration."""

    PROMOTED = "a location in memory is kept in a register while the loop runs"
    FLAGGED = "a location in memory is kept in a register while the loop runs, and stored if an iteration did"


def promote_to_registers(
    function: Function, disjoint: Mapping[Argument, bool], remarks: Remarks = SILENT
) -> "Promoted":
    """Promotes locations of the loops of a kernel.

    `disjoint` tells for arguments that are buffers whether they overlap no other.
    """
    made = Promoted()
    if not any(i.opcode == "store" for i in function.instructions()):
        return made
    forest = loop_forest(function)
    if not forest.loops:
        return made
    tree = dominators(function)
    # Blocks that are added lie outside the loop at hand, so what is known of loops inside stays true.
    for loop in forest.loops:
        _promote_in(LoopAccesses(loop, forest, tree, disjoint, remarks), made, remarks)
    return made


@dataclass
class Promoted:
    """How many locations were promoted, and whether that is wrong for buffers that overlap."""

    count: int = 0
    relies: bool = False

    def __bool__(self) -> bool:
        return self.count > 0


def _promote_in(accesses: "LoopAccesses", made: Promoted, remarks: Remarks) -> None:
    plans = accesses.plans()
    if not plans:
        return
    made.count += len(plans)
    for plan in plans:
        remarks.passed(Promotion.FLAGGED if plan.flagged else Promotion.PROMOTED, plan.uses[0].instruction)
    rewriter = _Rewriter(accesses.loop, any(plan.guarded for plan in plans))
    for plan in plans:
        rewriter.promote(plan)
        made.relies |= plan.aliases.relied


class _Rewriter:
    """Replaces the accesses of a loop to some locations; `guarded`: a test goes around it."""

    def __init__(self, loop: Loop, guarded: bool) -> None:
        preheader = loop.preheader
        assert preheader is not None
        self._loop = loop
        # The exits of loops inside: what these define leaves them by a phi.
        self._inner_exits = {
            e for inner in loop.nest() if inner is not loop for e in inner.exits if e in loop
        }
        self._places = {e: self._place(e, guarded) for e in loop.exits}
        self._guarded = guarded
        self._start = _guard(loop, preheader) if guarded else preheader

    def promote(self, plan: Plan) -> None:
        """Promotes a location."""
        b = Builder(self._start, self._start.terminator)
        # Counters may cancel out in an address: any iteration will do, so the first does.
        starts: ValueMap = {phi: phi.incoming_from(self._start) for phi in self._loop.header.phis()}
        pointer = recompute(b, plan.pointer, self._loop.blocks, starts)
        assert pointer is not None, "what is invariant is made of what is known before the loop"
        first = plan.prior.value
        if first is None:
            first = plan.like(b.load(plan.type, pointer, plan.align))
        variable = SSAVariable(plan.type, "promoted", self._inner_exits)
        variable.define(self._start, first)
        flag = SSAVariable(I1, "stored", self._inner_exits)
        flag.define(self._start, const_int(I1, 0))
        by_block: dict[Block, list[Instruction]] = {}
        for use in plan.uses:
            by_block.setdefault(use.instruction.parent, []).append(use.instruction)
        for block, uses in by_block.items():
            stores = [i for i in uses if i.opcode == "store"]
            if stores:
                variable.define(block, stores[-1].operands[0])
                flag.define(block, const_int(I1, 1))
        left = {exit: self._leaving(variable, exit) for exit in self._places}
        flags = {exit: self._leaving(flag, exit) for exit in self._places} if plan.flagged else {}
        pointers = {exit: self._leaving_parent(pointer, exit) for exit in self._places}
        # What a load becomes may be another load, whose value was stored: all are found, then replaced.
        loaded: dict[Value, Value] = {}
        for block, uses in by_block.items():
            value: Value | None = None
            for i in uses:
                if i.opcode == "store":
                    value = i.operands[0]
                else:
                    loaded[i] = value = value or variable.at_start(block)
        for load, found in loaded.items():
            while found in loaded:
                found = loaded[found]
            load.replace_all_uses_with(found)
        for use in plan.uses:
            address = use.instruction.operands[-1]
            use.instruction.erase()
            erase_unused(address)
        for exit in self._places:
            self._store(plan, pointers[exit], exit, left[exit], flags.get(exit))
        variable.simplify()
        flag.simplify()
        prior = plan.prior
        if prior.store is not None and not (prior.is_read or prior.branches or self._guarded):
            prior.store.erase()

    def _leaving(self, variable: SSAVariable, exit: Block) -> Instruction:
        """A phi for what a variable has where the loop is left."""
        return _joined(self._places[exit], variable.type, variable.name, variable.at_end)

    def _leaving_parent(self, pointer: Value, exit: Block) -> Value:
        """A pointer where the loop is left, with a phi if the loop around it is left too (LCSSA)."""
        parent = self._loop.parent
        if parent is None or exit in parent:
            return pointer
        return _joined(self._places[exit], pointer.type, pointer.name, lambda _: pointer)

    def _store(self, plan: Plan, pointer: Value, exit: Block, value: Value, flag: Value | None) -> None:
        """Stores a location where the loop is left, and hands its value to what follows there."""
        place = self._places[exit]
        if flag is not None:
            rest = place.split(place.first_non_phi, "promoted.rest")
            writing = place.parent.add_block("promoted.store", after=place)
            place.terminator.erase()
            Builder(place).cond_br(flag, writing, rest)
            plan.like(Builder(writing).store(value, pointer, plan.align))
            Builder(writing).br(rest)
            return
        store = plan.like(Builder.at_start(place).store(value, pointer, plan.align))
        _forward(store, plan)

    def _place(self, exit: Block, guarded: bool) -> Block:
        """A block for what is done where the loop is left to `exit`, and for nothing else."""
        if not guarded and all(p in self._loop for p in exit.predecessors()):
            return exit
        inside = [p for p in exit.predecessors() if p in self._loop]
        place = exit.parent.add_block("promoted", after=inside[-1])
        for source in inside:
            source.terminator.replace_operand(exit, place)
        for phi in exit.phis():
            leaving = _joined(place, phi.type, phi.name, phi.incoming_from)
            for source in inside:
                phi.remove_incoming(source)
            phi.add_incoming(leaving, place)
        Builder(place).br(exit)
        return place


def _joined(block: Block, type: Type, name: str | None, value_from: Callable[[Block], Value]) -> Instruction:
    """A phi for the value that each predecessor of a block hands on."""
    phi = Builder(block).phi(type, name)
    for source in block.predecessors():
        value = value_from(source)
        # A switch may come here by several of its cases.
        for _ in range(source.terminator.successors().count(block)):
            phi.add_incoming(value, source)
    return phi


def _forward(store: Instruction, plan: Plan) -> None:
    """Hands what was stored on to loads after it in its block; removes it if another store comes first."""
    block, at, read = store.parent, plan.uses[0].at, False
    for i in block.instructions[block.index(store) + 1 :]:
        accesses = accessed(i)
        if accesses is None:
            return
        for access in accesses:
            if access.at.start == at.start and access.type is plan.type:
                if access.writes:
                    if not read:
                        store.erase()
                    return
                i.replace_all_uses_with(store.operands[0])
                i.erase()
            elif plan.aliases.may_alias(at, access.at):
                if access.writes:
                    return
                read = True


def _guard(loop: Loop, preheader: Block) -> Block:
    """Makes the test of the header in the preheader as well; returns a new preheader after it."""
    header = loop.header
    values: ValueMap = {phi: phi.incoming_from(preheader) for phi in header.phis()}
    b = Builder(preheader, preheader.terminator)
    for i in header.instructions[header.first_non_phi : -1]:
        values[i] = b.insert(clone_instruction(i, values))
    branch = header.terminator
    condition, yes, no = (values.get(o, o) for o in branch.operands)
    assert isinstance(yes, Block) and isinstance(no, Block)
    start = preheader.parent.add_block("promote", after=preheader)
    place = no if yes in loop else yes
    (exit,) = place.successors()
    for phi in exit.phis():
        leaving = phi.incoming_from(place)
        assert isinstance(leaving, Instruction), "what leaves the loop passes a phi"
        value = leaving.incoming_from(header)
        phi.add_incoming(values.get(value, value), preheader)
    preheader.terminator.erase()
    targets = (start, exit) if yes in loop else (exit, start)
    Builder(preheader).cond_br(condition, *targets)
    Builder(start).br(header)
    for phi in header.phis():
        phi.replace_operand(preheader, start)
    return start
