"""Run the work-item loops that LLVM would leave scalar one work-item per SIMD lane.

Each loop is planned, priced and emitted in turn:

    proved_cases.py      cases in which addresses are proved in order: a variant each, if that pays
    version_in_bounds.py a fast path for in-bounds accesses
    cost_model           lanes and strategies of divergent loops, a version each; or a refusal
    loop_plan.py         the plan of the vector code; or a refusal
    vectorize_loop.py    the vector code; what is left over runs under a mask (predicated_remainder.py)

Loops with operations across the lanes of a sub-group have as many lanes as that; `kernel_legality.py` has
checked that they can be vectorized.

Loops over so few work-items that all are lanes of one pass are no loops afterwards: what is invariant in the
loops around them is computed once, and what they carry lives in registers. LLVM looks at its own vector loops
too late for that.

Requires a work-group function. A loop that cannot be vectorized stays as it is; the reason is returned.
"""

from collections.abc import Collection, Sequence

from weft.analysis.cross_lane import cross_lane_size
from weft.analysis.lanes import NOTHING_ASSUMED, Assumed, Lanes, lanes
from weft.analysis.memory_effects import reads_images
from weft.analysis.sub_group_facts import SubGroupFacts
from weft.dataclasses import dataclass, replace
from weft.ir import Block, ConstantInt, Function, Instruction
from weft.ir.loops import Loop, LoopForest, loop_forest, loops_from
from weft.remarks import SILENT, Reason, Remarks
from weft.target import Target
from weft.transform.cost_model.choose_lanes import Choice, choose, items_of_one_pass, lane_count, rearranges
from weft.transform.cost_model.code_size import MOST_VERSIONS, CodeBudget, length
from weft.transform.cost_model.estimate import DEFAULT_STRATEGY, Estimate
from weft.transform.cost_model.few_work_items import is_better_unrolled
from weft.transform.cost_model.overlapping_accesses import INTERLEAVED, loads_overlap_stores
from weft.transform.cost_model.row_loops import row_loops
from weft.transform.cost_model.scatters import scatters_cost_more
from weft.transform.workgroup.disable_inner_loop_vectorization import ALONG_ROWS, DISABLED
from weft.transform.workgroup.private_arrays_by_lane import LaneArray
from weft.transform.workgroup.work_item_loops import add_fact, is_work_item_loop, unroll_fully

from .access_forms import WideAccess
from .add_variants import add_variants
from .bounded_code import BoundedCode
from .cannot_vectorize import CannotVectorize, NotVectorized
from .counted_loop import counted, counter_of
from .join_loads import join_loads
from .lanewise import VectorForm
from .loop_choice import choose_at_run_time, count_scalar_iterations
from .loop_plan import LoopPlan, plan_loop
from .loop_records import LoopRecords, recorded_header
from .predicated_remainder import can_mask_rest, mask_rest
from .proved_cases import NOTHING, ProofBudget, ProvedCases, candidates, if_proved, proved_cases
from .strategies import reason
from .vectorize_loop import emit_loop
from .vectorize_remarks import tell_outcomes, work_item_loops
from .version_complete_groups import is_for_partial_groups
from .version_in_bounds import InBounds, accesses_of, plan_in_bounds, version_in_bounds
from .version_loop import LoopVersion, copy_loop


@dataclass(frozen=True)
class Outcome:
    """What became of a work-item loop: its header's name, the lanes it got, or why it got none.

    `block` is the header, which is no longer part of the function if no scalar loop was left.
    `estimate` is that of the cost model, if there is one; `straight` whether the loop holds no other;
    `accesses` how each access to memory was done, for the instructions of the loop as it was. With a
    `condition` it is about a variant of the loop for that case, beside the general code. `divergent` says by
    which strategies divergent loops run, and why; `strategy` is that of this version of the loop. `fast_path`
    says that in-bounds accesses have code of their own, `left_out` what has none because it would be too
    long.
    """

    header: str
    width: int
    block: Block
    refusal: Reason | None = None
    estimate: Estimate | None = None
    straight: bool = False
    accesses: tuple[tuple[Instruction, tuple[WideAccess, ...]], ...] = ()
    condition: str = ""
    divergent: Reason | None = None
    strategy: str = ""
    fast_path: Reason | None = None
    left_out: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class _Version:
    """A version of a loop that is tried at run time: the strategy of its divergent loops, and why."""

    strategy: str
    reason: Reason | None


def vectorize_work_items(
    function: Function,
    target: Target,
    vector_form: VectorForm,
    forced: int = 0,
    divergent: str = "auto",
    records: LoopRecords | None = None,
    proofs: bool = False,
    arrays: Sequence[LaneArray] = (),
    remarks: Remarks = SILENT,
    most_versions: int = MOST_VERSIONS,
) -> list[Outcome]:
    """Vectorize work-item loops for the registers of a target.

    `forced`: so many lanes, wherever that is possible. `divergent`: the strategy of divergent loops, wherever
    that is possible, or `auto`. With `records`, a loop may be made with several strategies. With `proofs`,
    what can be proved of addresses is used. `arrays` are spread when a loop that uses them is about to run in
    lanes.
    `most_versions`: what code that is there several times may add (`code_size.py`).
    """
    if forced == 1:
        return []
    module = function.parent
    regions = work_item_loops(function) if remarks else {}
    budget = CodeBudget(most_versions)
    vectorizer = _Vectorizer(
        function, target, vector_form, forced, divergent, records, proofs, arrays, budget
    )
    outcomes = vectorizer.run()
    if remarks:
        tell_outcomes(outcomes, regions, module, remarks)
    return outcomes


class _Vectorizer:
    def __init__(
        self,
        function: Function,
        target: Target,
        vector_form: VectorForm,
        forced: int,
        divergent: str,
        records: LoopRecords | None,
        proofs: bool,
        arrays: Sequence[LaneArray],
        budget: CodeBudget,
    ) -> None:
        self.function, self.target, self.vector_form = function, target, vector_form
        self.forced, self.divergent, self.records, self.proofs = forced, divergent, records, proofs
        self.arrays = arrays
        self.outcomes: list[Outcome] = []
        self._forest = loop_forest(function)
        loops = [loop for loop in self._forest.loops if is_work_item_loop(loop)]
        self._code = BoundedCode(function, loops, self._forest, target, budget)
        self._loops = iter(self._code.in_order(self._forest))
        self._known: tuple[Loop, Assumed, Lanes] | None = None  # of the loop that was analysed last
        self._changed: set[Block] = set()  # headers of loops for which the forest no longer holds
        self._seen: set[Block] = set()  # the headers of the loops that were looked at
        # The places of outcomes, by header: versions of a loop stand where it stood.
        self._places = {loop.header: place for place, loop in enumerate(loops)}
        self._versions: dict[Block, _Version] = {}  # by header
        self._budget = ProofBudget()
        self._reads_images = reads_images(function)
        self._in_one_pass = rearranges(function, self._forest, target.lanes(32))

    def run(self) -> list[Outcome]:
        """Vectorize all loops; returns what became of them."""
        while (loop := self._next_loop()) is not None:
            self._places.setdefault(loop.header, len(self._places))
            self._loop(loop)
        return sorted(self.outcomes, key=lambda outcome: self._places[outcome.block])

    def _next_loop(self) -> Loop | None:
        """The next work-item loop; the forest holds for it and those in it.

        The forest is computed again when only changed loops are left, not after each change: the loops
        of a function with many parallel regions are found a few times, not once for each.
        """
        while True:
            for loop in self._loops:
                if loop.header in self._seen or loop.header in self._changed:
                    continue
                self._seen.add(loop.header)
                if is_work_item_loop(loop):
                    return loop
            if not self._changed:
                return None
            self._forest, self._changed = loop_forest(self.function), set()
            self._loops = iter(self._code.in_order(self._forest))

    def _change(self, loop: Loop) -> None:
        """Note that the forest no longer holds for a loop, those in it and those around it."""
        self._known = None
        self._changed |= loop.blocks
        while loop.parent is not None:
            loop = loop.parent
            self._changed.add(loop.header)

    def _lanes(self, loop: Loop, facts: Assumed = NOTHING_ASSUMED) -> Lanes:
        """What is known of a loop of the forest, kept until some code is changed."""
        known = self._known
        if known is None or known[0] is not loop or known[1] is not facts:
            shape = lanes(self.function, loop, counted(loop)[0], self._forest, facts)
            known = self._known = loop, facts, shape
        return known[2]

    def _loop(self, loop: Loop) -> None:
        """Vectorize a loop, make versions of it that are looked at later, or leave it as it is."""
        if (size := cross_lane_size(loop)) > 0:
            self._sub_groups(loop, size)
            return
        version = self._versions.get(loop.header)
        whole = not is_for_partial_groups(loop) or self._reads_images
        fast = self._in_bounds(loop) if self._reads_images and whole else None
        # Where coordinates within an image are all that has to be known of addresses, no proof can say more.
        settled = fast is not None and not candidates(loop, fast.shape)
        proves = self.proofs and version is None and not settled
        proved, variants = self._variants(loop) if proves else (NOTHING, [])
        if variants or proved.always:
            fast = None
        elif whole and not self._reads_images:
            fast = self._in_bounds(loop)
        choice: Choice | None = None
        strategy = version.strategy if version is not None else self.divergent
        try:
            choice = self._choose(loop, strategy, proved, fast)
            if not choice.pays:
                raise CannotVectorize(NotVectorized.COSTS_MORE, width=choice.width)
            if len(choice.strategies) > 1:
                self._make_versions(loop, choice)
            else:
                self.outcomes.append(self._emit(loop, choice, proved, fast))
        except CannotVectorize as error:
            found = choice.estimate if choice is not None else None
            self.outcomes.append(self._leave(loop, error.refusal, found, strategy))
        self.outcomes += variants

    def _in_bounds(self, loop: Loop) -> InBounds | None:
        """The fast path of a loop, if it has one, and may have it."""
        if counter_of(loop) is None:
            return None
        fast = plan_in_bounds(self.function, loop, self._forest, self._lanes(loop))
        return fast if fast is not None and self._code.allows_fast_path(loop) else None

    def _sub_groups(self, loop: Loop, size: int) -> None:
        """Vectorize a loop with operations across lanes: those of a sub-group, whatever it costs."""
        try:
            counter, limit = counted(loop)
            start = counter.incoming_from(loop.preheader) if loop.preheader is not None else None
            ends = [end.value for end in (start, limit) if isinstance(end, ConstantInt)]
            if len(ends) < 2 or any(end % size for end in ends):
                raise CannotVectorize(NotVectorized.NOT_COUNTING_WORK_ITEMS)
            rough = lanes(self.function, loop, counter, self._forest)
            facts = SubGroupFacts(loop, counter, size, rough.masked)
            shape = lanes(self.function, loop, counter, self._forest, facts)
            strategy = self._strategy_across_lanes(loop, shape)
            self.outcomes.append(self._emit(loop, Choice(size, (strategy,)), ProvedCases(facts, ()), None))
        except CannotVectorize as error:
            self.outcomes.append(self._leave(loop, error.refusal, None, self.divergent))

    def _strategy_across_lanes(self, loop: Loop, shape: Lanes) -> str:
        """The strategy of divergent loops in a loop with cross-lane operations, which lanes run together."""
        under_masks = (inner for inner in loop.nest() if inner.header in shape.masked)
        if self.divergent == "narrow" or any(map(cross_lane_size, under_masks)):
            return "masked"
        return DEFAULT_STRATEGY if self.divergent == "auto" else self.divergent

    def _choose(self, loop: Loop, strategy: str, proved: ProvedCases, fast: InBounds | None) -> Choice:
        """The lanes of a loop and the strategies of its divergent loops: by the cost model, or as forced."""
        if self.forced:
            return Choice(self.forced, (DEFAULT_STRATEGY,) if strategy == "auto" else (strategy,))
        tries = self.records is not None
        shape = self._lanes(loop, proved.always)
        choice = choose(loop, self._forest, shape, self.target, strategy, tries, self._in_one_pass, fast)
        return (
            choice if self._code.is_ample or strategy != "auto" else self._code.narrowed(loop, choice, shape)
        )

    def _make_versions(self, loop: Loop, choice: Choice) -> None:
        """Have a loop in several versions, which are looked at in turn."""
        assert self.records is not None
        counter, limit = counted(loop)
        headers = choose_at_run_time(self.function, loop, counter, limit, choice.strategies, self.records)
        why = reason(choice.estimate, choice.strategies, self.divergent)
        self._versions.update((h, _Version(w, why)) for h, w in zip(headers, choice.strategies, strict=True))
        self._places.update(dict.fromkeys(headers, self._places[loop.header]))
        self._seen.discard(loop.header)
        self._change(loop)

    def _emit(self, loop: Loop, choice: Choice, proved: ProvedCases, fast: InBounds | None) -> Outcome:
        """Plan the vector code of a loop and emit it; raises CannotVectorize if it has none."""
        found = choice.estimate
        (strategy,) = choice.strategies
        self._spread_arrays(loop, choice, proved)
        if fast is not None:
            self._code.budget.charge(length(loop))
        coherent = self._code.is_ample or self._code.allows_coherent(
            loop, choice, self._lanes(loop, proved.always)
        )
        source, forest, fast_blocks = loop, self._forest, list[Block]()
        if fast is not None:
            forest, fast_blocks = self._add_fast_path(loop, choice, proved, fast)
            (source,) = forest.roots
        self._join_loads(source, forest, choice, proved)
        in_bounds = frozenset(accesses_of(fast_blocks))
        plan = self._plan(source, forest, choice, proved, coherent)
        rest_in_lanes = can_mask_rest(plan)
        emitted = emit_loop(plan, None, self.records, loop.header)
        self._change(loop)
        if emitted.has_remainder and rest_in_lanes:
            mask_rest(plan, loop, self.records)
        why: Reason | None = None
        if loop.header in self._versions:
            why = self._versions[loop.header].reason
        elif found is not None and found.serial is not None:
            why = reason(found, choice.strategies, self.divergent)
        return Outcome(
            recorded_header(loop.header).name or "",
            choice.width,
            loop.header,
            None,
            found,
            not loop.children,
            _accesses(emitted.accesses, in_bounds),
            divergent=why,
            strategy=strategy,
            fast_path=fast.reason if fast is not None else None,
            left_out=self._code.budget.refused(loop.header),
        )

    def _spread_arrays(self, loop: Loop, choice: Choice, proved: ProvedCases) -> None:
        """Give the lanes of a loop their columns of private arrays; raises CannotVectorize before it does."""
        used = [array for array in self.arrays if not array.is_spread and array.is_used_in(loop)]
        if used:
            self._plan(loop, self._forest, choice, proved)
        for array in used:
            array.spread()
            self._known = None

    def _add_fast_path(
        self, loop: Loop, choice: Choice, proved: ProvedCases, fast: InBounds
    ) -> tuple[LoopForest, list[Block]]:
        """Give a loop a fast path, or a copy of it if the loop stays as the remainder loop.

        Returns the loop that has it, with those in it, and the blocks of the path. Raises CannotVectorize
        before it changes any.
        """
        function, preheader = self.function, loop.preheader
        assert preheader is not None
        version = LoopVersion(loop, {})
        has_remainder = self._plan(loop, self._forest, choice, proved).has_remainder
        self._change(loop)
        if has_remainder:
            version = copy_loop(function, loop, "in_bounds", distinct=False)
            self._join_loads(loop, self._forest, choice, proved)
            preheader.terminator.replace_operand(loop.header, version.header)
            self._seen.add(version.header)
            (loop,) = loops_from(version.header, preheader).roots
        blocks = version_in_bounds(function, loop, fast, version)
        return loops_from(version.header, preheader), blocks

    def _join_loads(self, loop: Loop, forest: LoopForest, choice: Choice, proved: ProvedCases) -> None:
        if choice.strategies != ("serial",) and join_loads(loop, self._lanes_in(loop, forest, proved.always)):
            self._known = None

    def _lanes_in(self, loop: Loop, forest: LoopForest, facts: Assumed) -> Lanes:
        """What is known of a loop of any forest."""
        if forest is self._forest:
            return self._lanes(loop, facts)
        return lanes(self.function, loop, counted(loop)[0], forest, facts)

    def _plan(
        self,
        loop: Loop,
        forest: LoopForest,
        choice: Choice,
        proved: ProvedCases,
        coherent: bool = True,
    ) -> LoopPlan:
        """Plan the vector code of a loop as it was chosen; raises CannotVectorize."""
        facts, (strategy,) = proved.always, choice.strategies
        return plan_loop(
            self.function,
            loop,
            forest,
            choice.width,
            self.vector_form,
            strategy,
            facts,
            self._lanes_in(loop, forest, facts),
            register=self.target.lanes(32),
            coherent=coherent,
        )

    def _leave(self, loop: Loop, refusal: Reason, found: Estimate | None, strategy: str) -> Outcome:
        """Leave a loop scalar."""
        straight = not loop.children
        if straight and not self.forced:
            refusal = self._for_llvm(loop, refusal)
        elif not self.forced:
            refusal = self._along_rows(loop, refusal)
        if self.records is not None:
            count_scalar_iterations(self.function, loop, self._forest, self.records)
        version = self._versions.get(loop.header)
        why = version.reason if version is not None else None
        name = recorded_header(loop.header).name or ""
        left_out = self._code.budget.refused(loop.header)
        return Outcome(
            name,
            1,
            loop.header,
            refusal,
            found,
            straight,
            divergent=why,
            strategy=strategy,
            left_out=left_out,
        )

    def _for_llvm(self, loop: Loop, refusal: Reason) -> Reason:
        """Tell LLVM what it does not see of a straight loop that is left to it; returns why it is.

        It leaves a loop alone that would lose by scatters. For processors that do not scatter LLVM stores
        lane by lane, and knows what that costs. It interleaves loads that would wait for stores, and unrolls
        loops over few work-items whose loads would.
        """
        latch, found = loop.latch, counter_of(loop)
        if latch is None or found is None:
            return refusal
        if is_better_unrolled(loop, found[1], self.target):
            unroll_fully(latch)
            return Reason(NotVectorized.FEW_UNROLLED)
        shape = lanes(self.function, loop, found[0], self._forest)
        if self.target.scatters and scatters_cost_more(loop, shape, self.target):
            add_fact(latch, DISABLED)
            return Reason(NotVectorized.SCATTERS)
        if loads_overlap_stores(loop, shape):
            add_fact(latch, INTERLEAVED)
            if refusal.message is NotVectorized.LEFT_TO_LLVM:
                return Reason(NotVectorized.INTERLEAVED)
        return refusal

    def _along_rows(self, loop: Loop, refusal: Reason) -> Reason:
        """Leave the loops in a work-item that go along rows to LLVM; returns why work-items run in turn."""
        found = row_loops(loop, self._lanes(loop), self.target) if counter_of(loop) is not None else {}
        for inner in found:
            for latch in inner.latches:
                add_fact(latch, ALONG_ROWS)
        if found and refusal.message is NotVectorized.COSTS_MORE:
            return Reason(NotVectorized.ALONG_ROWS)
        return refusal

    def _variants(self, loop: Loop) -> tuple[ProvedCases, list[Outcome]]:
        """Adds variants of a loop for the cases in which its addresses are proved to be in order."""
        function, forest, target = self.function, self._forest, self.target
        try:
            _, limit = counted(loop)
            one_pass = items_of_one_pass(loop, limit, target.lanes(32)) is not None
            if is_for_partial_groups(loop):
                return NOTHING, []
            if one_pass and (self._in_one_pass or not self.forced):
                return NOTHING, []
            shape = self._lanes(loop)
            if any(m.header in shape.masked for m in loop.children):
                return NOTHING, []  # lanes that wait for one another cost more than what they load
            addresses = [a for a in candidates(loop, shape) if self._budget.allows(a)]
            if not addresses:
                return NOTHING, []
            best = if_proved(function, loop, forest, addresses)
            width = self.forced or lane_count(loop, best, target)
        except CannotVectorize:
            return NOTHING, []
        proved = proved_cases(function, loop, shape, width, addresses, self._budget)
        always = bool(self.forced)
        added = add_variants(
            function, loop, forest, proved, shape, width, target, self.vector_form, always, self._code.budget
        )
        if added:
            self._change(loop)
        name, straight = loop.header.name or "", not loop.children
        return proved, [
            Outcome(name, width, loop.header, None, a.estimate, straight, a.accesses, a.condition)
            for a in added
        ]


def _accesses(
    notes: dict[Instruction, list[WideAccess]], fast: Collection[Instruction]
) -> tuple[tuple[Instruction, tuple[WideAccess, ...]], ...]:
    """How each access to memory is done, on the fast path first, if there is one."""
    if not fast:
        return tuple((i, tuple(how)) for i, how in notes.items())
    inside = {i: how for i, how in notes.items() if i in fast}
    others = {
        i: [replace(access, edge=True) for access in how] for i, how in notes.items() if i not in inside
    }
    return tuple((i, tuple(how)) for i, how in (*inside.items(), *others.items()))
