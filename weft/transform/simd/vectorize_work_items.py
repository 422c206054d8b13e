"""Vectorize work-item loops that LLVM would leave scalar: one work-item per SIMD lane.

Each loop is planned, priced and emitted before the next one:

    proved_cases.py      cases in which addresses are proved consecutive: a variant each, if profitable
    version_in_bounds.py a fast path for in-bounds accesses
    cost_model           lanes and strategies of divergent loops, a version each; or a refusal
    loop_plan.py         the plan of the vector code; or a refusal
    vectorize_loop.py    the vector code; the remainder runs under a mask (predicated_remainder.py)

A loop with operations across the lanes of a sub-group gets as many lanes as the sub-group has;
`kernel_legality.py` has checked that it can be vectorized.

If all work-items fit into one pass of lanes, no loop is left. Code that is invariant in the surrounding loops
is then hoisted, and values that they carry stay in registers. LLVM's own vectorizer runs too late for that.

Requires a work-group function. A loop that cannot be vectorized stays unchanged; the outcome has the reason.
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
from .counted_loop import require_work_item_range, work_item_range
from .join_loads import join_loads
from .lanewise import VectorForm
from .loop_choice import choose_at_run_time, count_scalar_iterations
from .loop_plan import LoopPlan, plan_loop
from .loop_records import LoopRecords, recorded_header
from .predicated_remainder import can_predicate_remainder, predicate_remainder
from .proved_cases import NOTHING, ProofBudget, ProvedCases, candidates, if_proved, proved_cases
from .strategies import reason
from .vectorize_loop import emit_loop
from .vectorize_remarks import report_outcomes, work_item_loops
from .version_complete_groups import is_for_partial_groups
from .version_in_bounds import InBounds, accesses_of, plan_in_bounds, version_in_bounds
from .version_loop import LoopVersion, copy_loop


@dataclass(frozen=True)
class Outcome:
    """The result for one work-item loop: the name of its header, and its lanes or the reason for none.

    `block` is the header; it is not part of the function any more if no scalar loop is left. `estimate` is
    the cost model's, if it was run. `straight`: the loop contains no other loop. `accesses`: the form of each
    memory access, by instruction of the original loop. An outcome with a `condition` describes a variant of
    the loop for that case, in addition to the general code. `divergent` names the strategies of divergent
    loops and the reason; `strategy` is that of this version. `fast_path` is the reason for a fast path for
    in-bounds accesses; `left_out` lists versions that were omitted because the code would be too long.
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
    """Vectorize work-item loops for the registers of `target`.

    `forced` is the number of lanes to use where possible (0: the cost model decides), `divergent` the
    strategy of divergent loops to use where possible, or `auto`. With `records`, a loop may get versions for
    several strategies. With `proofs`, proved facts about addresses are used. `arrays` are spread when a loop
    that uses them is about to be vectorized. `most_versions` limits the size of code that exists in several
    versions (`code_size.py`).
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
        report_outcomes(outcomes, regions, module, remarks)
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
        self._known: tuple[Loop, Assumed, Lanes] | None = None  # result for the loop that was analysed last
        self._changed: set[Block] = set()  # headers of loops for which the forest no longer holds
        self._seen: set[Block] = set()  # headers of the loops that were visited
        # Positions of outcomes, by header: versions of a loop take its position.
        self._places = {loop.header: place for place, loop in enumerate(loops)}
        self._versions: dict[Block, _Version] = {}  # by header
        self._budget = ProofBudget()
        self._reads_images = reads_images(function)
        self._in_one_pass = rearranges(function, self._forest, target.lanes(32))

    def run(self) -> list[Outcome]:
        """Vectorize all loops; return their outcomes."""
        while (loop := self._next_loop()) is not None:
            self._places.setdefault(loop.header, len(self._places))
            self._loop(loop)
        return sorted(self.outcomes, key=lambda outcome: self._places[outcome.block])

    def _next_loop(self) -> Loop | None:
        """Return the next work-item loop; the forest is valid for it and for the loops inside it.

        The forest is recomputed when only changed loops are left, not after each change. In a function with
        many parallel regions that takes a few computations instead of one per region.
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
        """Record that the forest is no longer valid for `loop`, the loops inside it and those around it."""
        self._known = None
        self._changed |= loop.blocks
        while loop.parent is not None:
            loop = loop.parent
            self._changed.add(loop.header)

    def _lanes(self, loop: Loop, facts: Assumed = NOTHING_ASSUMED) -> Lanes:
        """Return the shapes of a loop of the forest; the last result is kept until code changes."""
        known = self._known
        if known is None or known[0] is not loop or known[1] is not facts:
            shape = lanes(self.function, loop, require_work_item_range(loop).counter, self._forest, facts)
            known = self._known = loop, facts, shape
        return known[2]

    def _loop(self, loop: Loop) -> None:
        """Vectorize a loop, create versions of it that are visited later, or leave it unchanged."""
        if (size := cross_lane_size(loop)) > 0:
            self._sub_groups(loop, size)
            return
        version = self._versions.get(loop.header)
        may_have_fast_path = not is_for_partial_groups(loop) or self._reads_images
        fast = self._in_bounds(loop) if self._reads_images and may_have_fast_path else None
        # If the addresses need nothing but coordinates inside the image, a proof cannot add anything.
        settled = fast is not None and not candidates(loop, fast.shape)
        proves = self.proofs and version is None and not settled
        proved, variants = self._variants(loop) if proves else (NOTHING, [])
        if variants or proved.always:
            fast = None
        elif may_have_fast_path and not self._reads_images:
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
            estimate = choice.estimate if choice is not None else None
            self.outcomes.append(self._leave(loop, error.refusal, estimate, strategy))
        self.outcomes += variants

    def _in_bounds(self, loop: Loop) -> InBounds | None:
        """Return the fast path of a loop, or None if it has none or the code budget forbids it."""
        if work_item_range(loop) is None:
            return None
        fast = plan_in_bounds(self.function, loop, self._forest, self._lanes(loop))
        return fast if fast is not None and self._code.allows_fast_path(loop) else None

    def _sub_groups(self, loop: Loop, size: int) -> None:
        """Vectorize a loop with cross-lane operations, one lane per work-item of a sub-group, at any cost."""
        try:
            counter, limit = require_work_item_range(loop)
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
        """Return the strategy of divergent loops in a loop with cross-lane operations."""
        under_masks = (inner for inner in loop.nest() if inner.header in shape.masked)
        if self.divergent == "narrow" or any(map(cross_lane_size, under_masks)):
            return "masked"
        return DEFAULT_STRATEGY if self.divergent == "auto" else self.divergent

    def _choose(self, loop: Loop, strategy: str, proved: ProvedCases, fast: InBounds | None) -> Choice:
        """Return the forced lanes and strategies of divergent loops, or the cost model's."""
        if self.forced:
            return Choice(self.forced, (DEFAULT_STRATEGY,) if strategy == "auto" else (strategy,))
        tries = self.records is not None
        shape = self._lanes(loop, proved.always)
        choice = choose(loop, self._forest, shape, self.target, strategy, tries, self._in_one_pass, fast)
        return (
            choice if self._code.is_ample or strategy != "auto" else self._code.narrowed(loop, choice, shape)
        )

    def _make_versions(self, loop: Loop, choice: Choice) -> None:
        """Create several versions of a loop; they are visited as loops of their own."""
        assert self.records is not None
        counter, limit = require_work_item_range(loop)
        headers = choose_at_run_time(self.function, loop, counter, limit, choice.strategies, self.records)
        why = reason(choice.estimate, choice.strategies, self.divergent)
        self._versions.update((h, _Version(w, why)) for h, w in zip(headers, choice.strategies, strict=True))
        self._places.update(dict.fromkeys(headers, self._places[loop.header]))
        self._seen.discard(loop.header)
        self._change(loop)

    def _emit(self, loop: Loop, choice: Choice, proved: ProvedCases, fast: InBounds | None) -> Outcome:
        """Plan the vector code of a loop and emit it. Raises CannotVectorize if it has no vector form."""
        estimate = choice.estimate
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
        rest_in_lanes = can_predicate_remainder(plan)
        emitted = emit_loop(plan, None, self.records, loop.header)
        self._change(loop)
        if emitted.has_remainder and rest_in_lanes:
            predicate_remainder(plan, loop, self.records)
        strategy_reason: Reason | None = None
        if loop.header in self._versions:
            strategy_reason = self._versions[loop.header].reason
        elif estimate is not None and estimate.serial is not None:
            strategy_reason = reason(estimate, choice.strategies, self.divergent)
        return Outcome(
            recorded_header(loop.header).name or "",
            choice.width,
            loop.header,
            None,
            estimate,
            not loop.children,
            _accesses(emitted.accesses, in_bounds),
            divergent=strategy_reason,
            strategy=strategy,
            fast_path=fast.reason if fast is not None else None,
            left_out=self._code.budget.refused(loop.header),
        )

    def _spread_arrays(self, loop: Loop, choice: Choice, proved: ProvedCases) -> None:
        """Give each lane its column of private arrays; if it raises CannotVectorize, nothing has changed."""
        used = [array for array in self.arrays if not array.is_spread and array.is_used_in(loop)]
        if used:
            self._plan(loop, self._forest, choice, proved)
        for array in used:
            array.spread()
            self._known = None

    def _add_fast_path(
        self, loop: Loop, choice: Choice, proved: ProvedCases, fast: InBounds
    ) -> tuple[LoopForest, list[Block]]:
        """Give a loop a fast path; if the loop stays as the remainder loop, give it to a copy.

        Returns the loop with the fast path and its inner loops, and the blocks of the path. If it raises
        CannotVectorize, nothing has changed.
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
        """Return the shapes of a loop of any forest."""
        if forest is self._forest:
            return self._lanes(loop, facts)
        return lanes(self.function, loop, require_work_item_range(loop).counter, forest, facts)

    def _plan(
        self,
        loop: Loop,
        forest: LoopForest,
        choice: Choice,
        proved: ProvedCases,
        coherent: bool = True,
    ) -> LoopPlan:
        """Plan the vector code of a loop for the given choice; raises CannotVectorize."""
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

    def _leave(self, loop: Loop, refusal: Reason, estimate: Estimate | None, strategy: str) -> Outcome:
        """Leave a loop scalar."""
        straight = not loop.children
        if straight and not self.forced:
            refusal = self._for_llvm(loop, refusal)
        elif not self.forced:
            refusal = self._along_rows(loop, refusal)
        if self.records is not None:
            count_scalar_iterations(self.function, loop, self._forest, self.records)
        version = self._versions.get(loop.header)
        strategy_reason = version.reason if version is not None else None
        name = recorded_header(loop.header).name or ""
        left_out = self._code.budget.refused(loop.header)
        return Outcome(
            name,
            1,
            loop.header,
            refusal,
            estimate,
            straight,
            divergent=strategy_reason,
            strategy=strategy,
            left_out=left_out,
        )

    def _for_llvm(self, loop: Loop, refusal: Reason) -> Reason:
        """Annotate a straight loop that is left to LLVM; return the reason for leaving it.

        If scatters would make vector code slower, vectorization is disabled; for processors without scatters
        this is unnecessary, because LLVM stores lane by lane there and prices that correctly. If loads would
        wait for overlapping stores, the loop is interleaved, or unrolled if it has few work-items.
        """
        latch, work_items = loop.latch, work_item_range(loop)
        if latch is None or work_items is None:
            return refusal
        if is_better_unrolled(loop, work_items.limit, self.target):
            unroll_fully(latch)
            return Reason(NotVectorized.FEW_UNROLLED)
        shape = lanes(self.function, loop, work_items.counter, self._forest)
        if self.target.scatters and scatters_cost_more(loop, shape, self.target):
            add_fact(latch, DISABLED)
            return Reason(NotVectorized.SCATTERS)
        if loads_overlap_stores(loop, shape):
            add_fact(latch, INTERLEAVED)
            if refusal.message is NotVectorized.LEFT_TO_LLVM:
                return Reason(NotVectorized.INTERLEAVED)
        return refusal

    def _along_rows(self, loop: Loop, refusal: Reason) -> Reason:
        """Leave inner loops that go along rows to LLVM; return why work-items run sequentially."""
        rows = row_loops(loop, self._lanes(loop), self.target) if work_item_range(loop) is not None else {}
        for inner in rows:
            for latch in inner.latches:
                add_fact(latch, ALONG_ROWS)
        if rows and refusal.message is NotVectorized.COSTS_MORE:
            return Reason(NotVectorized.ALONG_ROWS)
        return refusal

    def _variants(self, loop: Loop) -> tuple[ProvedCases, list[Outcome]]:
        """Add variants of a loop for the cases in which its addresses are proved consecutive."""
        function, forest, target = self.function, self._forest, self.target
        try:
            limit = require_work_item_range(loop).limit
            one_pass = items_of_one_pass(loop, limit, target.lanes(32)) is not None
            if is_for_partial_groups(loop):
                return NOTHING, []
            if one_pass and (self._in_one_pass or not self.forced):
                return NOTHING, []
            shape = self._lanes(loop)
            if any(m.header in shape.masked for m in loop.children):
                return NOTHING, []  # lanes that wait for each other cost more than the loads
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
    """Return the forms of each memory access; those of the fast path, if there is one, come first."""
    if not fast:
        return tuple((i, tuple(forms)) for i, forms in notes.items())
    inside = {i: forms for i, forms in notes.items() if i in fast}
    others = {
        i: [replace(access, edge=True) for access in forms] for i, forms in notes.items() if i not in inside
    }
    return tuple((i, tuple(forms)) for i, forms in (*inside.items(), *others.items()))
