"""Plan the promotion of a loop's memory locations to registers (`promote_to_registers.py`)."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto, unique

from weft.analysis.affine import Affine
from weft.analysis.evolution import LoopEvolution
from weft.analysis.induction import induction, trip_count
from weft.analysis.locations import ADDRESSES, Location, Locations, index_of, location
from weft.analysis.memory_effects import has_no_effects, is_lifetime_marker
from weft.analysis.work_items import is_barrier, work_item_function
from weft.dataclasses import dataclass
from weft.integers import signed
from weft.ir import Argument, Block, Instruction, Value
from weft.ir.dominators import DominatorTree
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import Type, size_of
from weft.ir.values import constant_of
from weft.remarks import Message, Remarks

# The most locations of a loop to consider; there are not more registers.
MOST = 32
# The most instructions of a loop's test to copy, and the most instructions before a loop to examine.
MOST_COPIED = 32
MOST_BEFORE = 128

# Library functions that access only what their pointer arguments point to.
_BY_POINTERS = (
    *("_Z6sincos", "_Z5fract", "_Z4modf", "_Z5frexp", "_Z8lgamma_r", "_Z6remquo"),
    *(_COPIES := ("llvm.memcpy.p", "llvm.memmove.p", "llvm.memset.p")),
)
# Calls that produce no code.
_NOTHING = ("llvm.assume", "llvm.dbg.", "llvm.experimental.noalias.scope.decl")
_KEPT_METADATA = ("tbaa", "dbg")


@unique
class NotPromoted(Message):
    """Why a location to which a loop stores in each iteration stays in memory."""

    SYNCHRONIZES = "the loop may synchronize with other work-items, or has effects that are not known"
    MAY_ALIAS = "another access of the loop may touch the same bytes"
    BUFFERS = "another access of the loop touches the same bytes if buffers overlap"
    TYPES = "the loop accesses it in different types"
    NOT_ALWAYS = "not every run of the loop accesses it"
    TEST = "the loop may have no iteration, and its test cannot be made before it"
    TOO_MANY = "the loop has more than {most} such locations"


@dataclass(frozen=True)
class Access:
    """One access of an instruction; `type` is None unless it is a plain load or store."""

    instruction: Instruction
    at: Location
    type: Type | None
    writes: bool


class _Runs(Enum):
    """When a block of a loop is executed, if the loop is entered."""

    ALWAYS = auto()
    IF_TESTED = auto()  # if the header's test holds in the first iteration
    PERHAPS = auto()


@dataclass
class Prior:
    """The accesses to a location right before a loop; `value` is its contents when the loop starts."""

    pointer: Value | None = None
    value: Value | None = None
    store: Instruction | None = None
    is_read: bool = False  # something may read the location between the store and the loop
    branches: bool = False  # not all paths from the store lead to the loop


@dataclass
class Plan:
    """A location that should be promoted."""

    uses: list[Access]
    pointer: Value
    prior: Prior
    guarded: bool
    flagged: bool
    aliases: Locations

    @property
    def type(self) -> Type:
        type = self.uses[0].type
        assert type is not None
        return type

    @property
    def align(self) -> int:
        return min(int(use.instruction.attributes.get("align", 1)) for use in self.uses)

    def like(self, access: Instruction) -> Instruction:
        """Copy the common metadata of the loop's accesses to one that replaces them; return it."""
        for name in _KEPT_METADATA:
            nodes = {use.instruction.metadata.get(name) for use in self.uses}
            node = self.uses[0].instruction.metadata.get(name)
            if node is not None and (name == "dbg" or len(nodes) == 1):
                access.metadata[name] = node
        return access


class LoopAccesses:
    """The accesses of a loop, and which of them can be promoted."""

    def __init__(
        self,
        loop: Loop,
        forest: LoopForest,
        tree: DominatorTree,
        disjoint: Mapping[Argument, bool],
        remarks: Remarks,
    ) -> None:
        self.loop = loop
        self._forest, self._tree, self._disjoint, self._remarks = forest, tree, disjoint, remarks
        self._known: dict[Value, Location] = {}

    def plans(self) -> list[Plan]:
        """Return the promotions to perform in the loop."""
        loop = self.loop
        preheader = loop.preheader
        stores = [i for i in loop.instructions() if i.opcode == "store" and not i.is_ordered]
        if preheader is None or loop.latch is None or not loop.exits or not stores:
            return []
        steps = LoopEvolution(loop)
        stores = [i for i in stores if steps.is_invariant(i.operands[1])]
        if not stores:
            return []
        accesses = self._accesses()
        if accesses is None:
            self._missed(NotPromoted.SYNCHRONIZES, stores)
            return []
        by_start: dict[object, list[Access]] = {}
        for access in accesses:
            if access.type is not None:
                by_start.setdefault(access.at.start, []).append(access)
        chosen = set(stores)
        candidates = [uses for uses in by_start.values() if any(u.instruction in chosen for u in uses)]
        for uses in candidates[MOST:]:
            self._missed(NotPromoted.TOO_MANY, [u.instruction for u in uses], most=MOST)
        plans = []
        for uses in candidates[:MOST]:
            plan = self._plan(uses, accesses, preheader, steps)
            if isinstance(plan, NotPromoted):
                self._missed(plan, [u.instruction for u in uses])
            else:
                plans.append(plan)
        return plans

    def _missed(self, reason: NotPromoted, accesses: Sequence[Instruction], **arguments: int) -> None:
        """Remark a refusal once: for the innermost loop in which the location could have been promoted."""
        for i in accesses:
            if i.opcode == "store" and self._forest.loop_of(i.parent) is self.loop:
                self._remarks.missed(reason, i, **arguments)
                return

    def _accesses(self) -> list[Access] | None:
        """Return the accesses of the loop; None if it may have unknown ones."""
        accesses: list[Access] = []
        for i in self.loop.instructions():
            of_instruction = accessed(i, self._known)
            if of_instruction is None:
                return None
            accesses += of_instruction
        return accesses

    def _plan(
        self, uses: list[Access], accesses: list[Access], preheader: Block, steps: LoopEvolution
    ) -> Plan | NotPromoted:
        types = {use.type for use in uses}
        if len(types) > 1:
            return NotPromoted.TYPES
        at = uses[0].at
        aliases = Locations(self._disjoint)
        for other in accesses:
            if other.at.start == at.start and other.type is not None:
                continue
            if aliases.may_alias(at, other.at) and not _moves_away(at, other.at, self.loop):
                whatever = Locations(dict.fromkeys(self._disjoint, True)).may_alias(at, other.at)
                return NotPromoted.MAY_ALIAS if whatever else NotPromoted.BUFFERS
        runs = [self._runs(use.instruction.parent) for use in uses]
        # Values loaded in the loop may cancel out in an address: such an address is not computed before the
        # loop.
        known = [
            (r, use.instruction.operands[-1])
            for r, use in zip(runs, uses, strict=True)
            if steps.is_invariant(use.instruction.operands[-1])
        ]
        read = _best(r for r, _ in known)
        written = _best(r for r, use in zip(runs, uses, strict=True) if use.writes)
        prior = self._prior(at, uses[0].type, preheader, aliases)
        # An access before the loop proves that the location can be accessed; otherwise the loop must.
        guarded = flagged = False
        if prior.pointer is None:
            if read is _Runs.PERHAPS:
                return NotPromoted.NOT_ALWAYS
            guarded = read is _Runs.IF_TESTED
        if prior.store is None:
            if written is _Runs.PERHAPS:
                flagged = True
            elif written is _Runs.IF_TESTED:
                # After a prior load no test may be needed: a flag is cheaper than no promotion.
                guarded = guarded or self._can_be_tested()
                flagged = not guarded
        if guarded and not self._can_be_tested():
            return NotPromoted.TEST
        if flagged and _is_private(at.root) and (guarded or prior.pointer or read is _Runs.ALWAYS):
            # Nobody else sees the location: what was read there may be stored again.
            flagged = False
        pointer = prior.pointer or next(p for r, p in known if r is read)
        return Plan(uses, pointer, prior, guarded, flagged, aliases)

    def _can_be_tested(self) -> bool:
        """Whether the header's test can be copied to the preheader."""
        header = self.loop.header
        branch = header.terminator
        if branch.opcode != "br" or len(branch.operands) != 3:
            return False
        copied = header.instructions[header.first_non_phi : -1]
        return len(copied) <= MOST_COPIED and all(map(_can_be_copied, copied))

    def _runs(self, block: Block) -> _Runs:
        """Tell when a block of the loop, or of a loop in it, is executed."""
        inner = self._forest.loop_of(block)
        while inner is not None and inner is not self.loop:
            reached = self._in_first_iteration(inner, block)
            if reached is _Runs.PERHAPS or (reached is _Runs.IF_TESTED and not trip_count(inner)):
                return _Runs.PERHAPS
            block, inner = inner.header, inner.parent
        result = self._in_first_iteration(self.loop, block)
        return _Runs.ALWAYS if result is _Runs.IF_TESTED and trip_count(self.loop) else result

    def _in_first_iteration(self, loop: Loop, block: Block) -> _Runs:
        """Tell when a block is executed in the first iteration of the loop that directly contains it."""
        tree, result = self._tree, _Runs.ALWAYS
        if any(not tree.dominates(block, latch) for latch in loop.latches):
            return _Runs.PERHAPS
        for exiting in loop.exiting:
            if not tree.dominates(block, exiting):
                if exiting is not loop.header:
                    return _Runs.PERHAPS
                result = _Runs.IF_TESTED
        return result

    def _prior(self, at: Location, type: Type | None, preheader: Block, aliases: Locations) -> Prior:
        """Return the accesses to a location right before the loop."""
        prior = Prior()
        block, clobbered, left = preheader, False, MOST_BEFORE
        while True:
            for i in reversed(block.instructions):
                accesses = accessed(i, self._known)
                left -= 1
                if accesses is None or not left:
                    return prior
                for access in accesses:
                    if access.at.start == at.start and access.type is type:
                        if access.writes:
                            prior.pointer = i.operands[1]
                            if not clobbered:
                                prior.value = prior.value or i.operands[0]
                            prior.store = i
                            return prior
                        if prior.pointer is None:
                            prior.pointer = i.operands[0]
                            prior.value = None if clobbered else i
                            prior.is_read = True
                    elif aliases.may_alias(at, access.at):
                        prior.is_read = True
                        clobbered |= access.writes
            before = block.predecessors()
            # A value computed by a preceding loop has no phi here.
            if len(before) != 1 or self._forest.loop_of(before[0]) is not self.loop.parent:
                return prior
            block = before[0]
            prior.branches |= len(block.successors()) > 1


def _is_private(root: Value) -> bool:
    return isinstance(root, Instruction) and root.opcode == "alloca"


def _moves_away(at: Location, other: Location, loop: Loop) -> bool:
    """Whether a location is beyond an invariant one in the first iteration and moves on from there.

    As `v[j]` from `v[i]` in `for (j = i + 1; …; j++)`.
    """
    if at.root is not other.root or at.size is None or other.size is None:
        return False
    apart, step = other.distance.plus(at.distance, -1).modulo(ADDRESSES), 0
    for value, factor in apart.terms:
        counter = induction(loop, value)
        if counter is not None and counter.signed and counter.start is not None:
            factor = signed(factor, 64)
            number = constant_of(counter.start)
            start = index_of(counter.start) if number is None else Affine((), number)
            apart = apart.plus(Affine(((value, 1),), 0), -factor).plus(start, factor)
            step += factor * counter.step
    apart = apart.modulo(ADDRESSES)
    first = signed(apart.constant, 64)
    if apart.terms or not step:
        return False
    return first >= at.size if step > 0 else -first >= other.size


def _best(runs: Iterable[_Runs]) -> _Runs:
    occurring = set(runs)
    return next((r for r in _Runs if r in occurring), _Runs.PERHAPS)


def accessed(i: Instruction, known: dict[Value, Location] | None = None) -> list[Access] | None:
    """Return the memory accesses of an instruction; None if it may synchronize, or have other effects."""
    if i.opcode in ("load", "store"):
        if i.is_ordered or i.attributes.get("ordering"):
            return None
        size = size_of(i.accessed_type)
        return [Access(i, location(i.operands[-1], size, known), i.accessed_type, i.opcode == "store")]
    if not (i.info.reads or i.info.writes):
        return []
    if i.opcode != "call" or is_barrier(i):
        return None
    name = i.callee_name
    if work_item_function(i) is not None or has_no_effects(i) or name.startswith(_NOTHING):
        return []
    if name.startswith(_COPIES) and constant_of(i.arguments[3]) != 0:
        return None  # volatile
    if is_lifetime_marker(i) or name.startswith(_BY_POINTERS):
        pointers = [a for a in i.arguments if a.type.is_pointer]
        return [Access(i, location(p, None, known), None, True) for p in pointers]
    return None


def _can_be_copied(i: Instruction) -> bool:
    """Whether an instruction may be executed twice in a row."""
    if i.opcode == "call":
        return work_item_function(i) is not None or has_no_effects(i)
    return not i.info.writes and not i.is_ordered and i.opcode != "alloca"
