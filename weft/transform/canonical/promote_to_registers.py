"""Keep memory locations that a loop of a work-item loads and stores in each iteration in registers.

    for (k = 0; k < n; k++)            float sum;
      c[i] += a[k];                    if (0 < n) {
                              becomes    sum = c[i];
                                         for (k = 0; k < n; k++) sum += a[k];
                                         c[i] = sum;
                                       }

This is register promotion (K. Cooper, J. Lu: *Register Promotion in C Programs*, 1997), as in LLVM's LICM.
LLVM sees the loop only after work-items have become lanes: as a gather and a scatter, which it does not
promote.

The address must be loop-invariant. No other access of the loop may touch the same bytes
(`analysis/locations.py`); buffers do not overlap by `restrict` or in this launch form. Nothing in the loop
may synchronize work-items: barriers, atomics, fences, volatile accesses, calls with effects. Between two
synchronization points no other work-item may access the bytes, so the time of the access does not matter.
Whether they are read or written does:

- A load is inserted before the loop only if each run of the loop accesses the location in its first
  iteration, or if an access right before the loop did. A loop that tests first may have no iteration: the
  test is then copied to the preheader, which may skip the loop (loop rotation).
- A store is inserted at an exit only if a store was executed on each path to it, or right before the loop. If
  only some iterations store, a flag records whether one did, and the store is executed if it is set.

The outermost qualifying loop of a nest is chosen. A store right before the loop provides the initial value;
it is removed if nothing reads it. A load right after the loop is replaced by the value, and a store there
makes the inserted one superfluous.

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
    """What was done to a location that a loop accesses in each iteration."""

    PROMOTED = "a location in memory is kept in a register while the loop runs"
    FLAGGED = "a location in memory is kept in a register while the loop runs, and stored if an iteration did"


def promote_to_registers(
    function: Function, disjoint: Mapping[Argument, bool], remarks: Remarks = SILENT
) -> "Promoted":
    """Promote locations of the loops of a kernel.

    `disjoint` tells which arguments are buffers that overlap no other buffer.
    """
    promoted = Promoted()
    if not any(i.opcode == "store" for i in function.instructions()):
        return promoted
    forest = loop_forest(function)
    if not forest.loops:
        return promoted
    tree = dominators(function)
    # Blocks are added outside the current loop, so analyses of inner loops stay valid.
    for loop in forest.loops:
        _promote_in(LoopAccesses(loop, forest, tree, disjoint, remarks), promoted, remarks)
    return promoted


@dataclass
class Promoted:
    """The number of promoted locations, and whether promotion is wrong if buffers overlap."""

    count: int = 0
    requires_noalias: bool = False

    def __bool__(self) -> bool:
        return self.count > 0


def _promote_in(accesses: "LoopAccesses", promoted: Promoted, remarks: Remarks) -> None:
    plans = accesses.plans()
    if not plans:
        return
    promoted.count += len(plans)
    for plan in plans:
        remarks.passed(Promotion.FLAGGED if plan.flagged else Promotion.PROMOTED, plan.uses[0].instruction)
    rewriter = _Rewriter(accesses.loop, any(plan.guarded for plan in plans))
    for plan in plans:
        rewriter.promote(plan)
        promoted.requires_noalias |= plan.aliases.requires_noalias


class _Rewriter:
    """Replaces the accesses of a loop to some locations; `guarded`: a test may skip the loop."""

    def __init__(self, loop: Loop, guarded: bool) -> None:
        preheader = loop.known_preheader
        self._loop = loop
        # Values that inner loops define leave them through a phi at these exits.
        self._inner_exits = {
            e for inner in loop.nest() if inner is not loop for e in inner.exits if e in loop
        }
        self._places = {e: self._place(e, guarded) for e in loop.exits}
        self._guarded = guarded
        self._start = _guard(loop, preheader) if guarded else preheader

    def promote(self, plan: Plan) -> None:
        """Promote a location."""
        b = Builder(self._start, self._start.terminator)
        # Counters may cancel out in an address: all iterations give the same, so the first one is used.
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
        # A load may be replaced by another load, whose value was stored: find all first, then replace.
        loaded: dict[Value, Value] = {}
        for block, uses in by_block.items():
            value: Value | None = None
            for i in uses:
                if i.opcode == "store":
                    value = i.operands[0]
                else:
                    loaded[i] = value = value or variable.at_start(block)
        for load, replacement in loaded.items():
            while replacement in loaded:
                replacement = loaded[replacement]
            load.replace_all_uses_with(replacement)
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
        """Return a phi with the value of a variable at an exit of the loop."""
        return _joined(self._places[exit], variable.type, variable.name, variable.at_end)

    def _leaving_parent(self, pointer: Value, exit: Block) -> Value:
        """Return a pointer at an exit of the loop, by a phi if the enclosing loop is left too (LCSSA)."""
        parent = self._loop.parent
        if parent is None or exit in parent:
            return pointer
        return _joined(self._places[exit], pointer.type, pointer.name, lambda _: pointer)

    def _store(self, plan: Plan, pointer: Value, exit: Block, value: Value, flag: Value | None) -> None:
        """Store a location at an exit of the loop, and forward its value to accesses after it."""
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
        """Return a block for code that is executed only if the loop is left to `exit`."""
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
    """Add a phi for the value from each predecessor of a block."""
    phi = Builder(block).phi(type, name)
    for source in block.predecessors():
        value = value_from(source)
        # Several cases of a switch may lead here.
        for _ in range(source.terminator.successors().count(block)):
            phi.add_incoming(value, source)
    return phi


def _forward(store: Instruction, plan: Plan) -> None:
    """Forward a stored value to later loads in its block; remove the store if another one comes first."""
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
    """Copy the test of the header to the preheader; return a new preheader after it."""
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
