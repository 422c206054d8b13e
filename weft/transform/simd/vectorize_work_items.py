"""Vectorize work-item loops that LLVM would leave scalar: one work-item per SIMD lane.

Each loop is planned, priced and emitted before the next one:

    proved_cases.py      cases in which addresses are proved consecutive: a variant each, if profitable
    version_in_bounds.py a fast path for in-bounds accesses
    cost_model           lanes and strategies of divergent loops, a version each; or a refusal
    emit_selected.py     the vector code, by a plan (loop_plan.py, vectorize_loop.py); or a refusal
    leave_scalar.py      annotations of a loop that stays scalar

A loop with operations across the lanes of a sub-group gets as many lanes as the sub-group has;
`kernel_legality.py` has checked that it can be vectorized.

If all work-items fit into one pass of lanes, no loop is left. Code that is invariant in the surrounding loops
is then hoisted, and values that they carry stay in registers. LLVM's own vectorizer runs too late for that.

Requires a work-group function. A loop that cannot be vectorized stays unchanged; the outcome has the reason.
"""

from collections.abc import Sequence
from typing import NamedTuple

from weft.analysis.cross_lane import cross_lane_size
from weft.analysis.lanes import Lanes, lanes
from weft.analysis.memory_effects import base_of, reads_images
from weft.analysis.sub_group_facts import SubGroupFacts
from weft.dataclasses import dataclass
from weft.ir import Block, ConstantInt, Function
from weft.ir.loops import Loop, loop_forest
from weft.remarks import SILENT, Reason, Remarks
from weft.target import Target
from weft.transform.cost_model.choose_lanes import Choice, choose, items_of_one_pass, lane_count
from weft.transform.cost_model.code_size import MOST_VERSIONS, CodeBudget
from weft.transform.cost_model.estimate import DEFAULT_STRATEGY, SCALAR, Estimate
from weft.transform.workgroup.private_arrays_by_lane import LaneArray
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .add_variants import VariantPolicy, add_variants
from .bounded_code import BoundedCode
from .cannot_vectorize import CannotVectorize, NotVectorized
from .counted_loop import require_work_item_range, work_item_range
from .emit_selected import Emitter, Selected
from .lanewise import VectorForm
from .leave_scalar import leave_loop_nest, leave_straight_loop
from .loop_choice import choose_at_run_time, count_scalar_iterations
from .loop_plan import PlanOptions
from .loop_queue import LoopQueue
from .loop_records import LoopRecords, recorded_header
from .outcome import Outcome
from .proved_cases import NOTHING, ProofBudget, ProvedCases, candidates, if_proved, proved_cases
from .strategies import reason
from .vectorize_remarks import report_outcomes, work_item_loops
from .version_complete_groups import is_for_partial_groups
from .version_in_bounds import InBounds, plan_in_bounds


@dataclass(frozen=True)
class VectorizerOptions:
    """How the work-item loops of a function are vectorized.

    `forced` is the number of lanes to use where possible (0: the cost model decides), `divergent` the
    strategy of divergent loops to use where possible, or `auto`. With `proofs`, proved facts about addresses
    are used. `most_versions` limits the size of code that exists in several versions (`code_size.py`).
    """

    forced: int = 0
    divergent: str = "auto"
    proofs: bool = False
    most_versions: int = MOST_VERSIONS


class _Version(NamedTuple):
    """A version of a loop that is tried at run time: how it runs, and why."""

    strategy: str
    reason: Reason | None


def vectorize_work_items(
    function: Function,
    target: Target,
    vector_form: VectorForm,
    options: VectorizerOptions,
    records: LoopRecords | None = None,
    arrays: Sequence[LaneArray] = (),
    remarks: Remarks = SILENT,
) -> list[Outcome]:
    """Vectorize work-item loops for the registers of `target`.

    With `records`, a loop may get versions for several strategies. `arrays` are spread when a loop that uses
    them is about to be vectorized.
    """
    if options.forced == 1:
        return []
    module = function.parent
    regions = work_item_loops(function) if remarks else {}
    outcomes = _Vectorizer(function, target, vector_form, options, records, arrays).run()
    if remarks:
        report_outcomes(outcomes, regions, module, remarks)
    return outcomes


class _Vectorizer:
    """Selects, for each work-item loop, what is emitted for it, and keeps the outcomes."""

    def __init__(
        self,
        function: Function,
        target: Target,
        vector_form: VectorForm,
        options: VectorizerOptions,
        records: LoopRecords | None,
        arrays: Sequence[LaneArray],
    ) -> None:
        self.function, self.target, self.vector_form = function, target, vector_form
        self.options, self.records = options, records
        self.outcomes: list[Outcome] = []
        forest = loop_forest(function)
        loops = [loop for loop in forest.loops if is_work_item_loop(loop)]
        self._code = BoundedCode(loops, forest, target, CodeBudget(options.most_versions))
        self._loops = LoopQueue(function, forest, self._code.in_order)
        self._emitter = Emitter(self._loops, self._code, target, vector_form, records, arrays)
        # Positions of outcomes, by header: versions of a loop take its position.
        self._places = {loop.header: place for place, loop in enumerate(loops)}
        self._versions: dict[Block, _Version] = {}  # by header
        self._budget = ProofBudget()
        self._reads_images = reads_images(function)

    def run(self) -> list[Outcome]:
        """Vectorize all loops; return their outcomes."""
        while (loop := self._loops.next_loop()) is not None:
            self._places.setdefault(loop.header, len(self._places))
            self._loop(loop)
        return sorted(self.outcomes, key=lambda outcome: self._places[outcome.block])

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
        proves = self.options.proofs and version is None and not settled
        proved, variants = self._variants(loop) if proves else (NOTHING, [])
        if variants or proved.always:
            fast = None
        elif may_have_fast_path and not self._reads_images:
            fast = self._in_bounds(loop)
        choice: Choice | None = None
        strategy = version.strategy if version is not None else self.options.divergent
        try:
            choice = self._choose(loop, strategy, proved, fast)
            if not choice.pays:
                raise CannotVectorize(NotVectorized.COSTS_MORE, width=choice.width)
            if len(choice.strategies) > 1:
                self._make_versions(loop, choice)
            else:
                self.outcomes.append(self._emit(loop, Selected(choice, proved, fast)))
        except CannotVectorize as error:
            estimate = choice.estimate if choice is not None else None
            self.outcomes.append(self._leave(loop, error.refusal, estimate, strategy))
        self.outcomes += variants

    # Selection

    def _in_bounds(self, loop: Loop) -> InBounds | None:
        """Return the fast path of a loop, or None if it has none or the code budget forbids it."""
        if work_item_range(loop) is None:
            return None
        fast = plan_in_bounds(loop, self._loops.forest, self._loops.shapes(loop))
        return fast if fast is not None and self._code.allows_fast_path(loop) else None

    def _choose(self, loop: Loop, strategy: str, proved: ProvedCases, fast: InBounds | None) -> Choice:
        """Return the forced lanes and strategies of divergent loops, or the cost model's."""
        if self.options.forced:
            return Choice(self.options.forced, (DEFAULT_STRATEGY,) if strategy == "auto" else (strategy,))
        tries = self.records is not None
        shape = self._loops.shapes(loop, proved.always)
        if self._waits_for_far_arrays(loop, shape):
            raise CannotVectorize(NotVectorized.FAR_ARRAYS)
        choice = choose(loop, self._loops.forest, shape, self.target, strategy, tries, fast)
        return (
            choice if self._code.is_ample or strategy != "auto" else self._code.narrowed(loop, choice, shape)
        )

    def _waits_for_far_arrays(self, loop: Loop, shape: Lanes) -> bool:
        """Whether lanes in a divergent loop access columns of a large private array anywhere."""
        far = {array.alloca for array in self._emitter.arrays if not array.is_near}
        if not far:
            return False
        accesses = (i for b in loop.blocks if b in shape.masked for i in b.instructions)
        return any(
            i.opcode in ("load", "store")
            and shape.is_varying(i.operands[-1])
            and base_of(i.operands[-1]) in far
            for i in accesses
        )

    def _variants(self, loop: Loop) -> tuple[ProvedCases, list[Outcome]]:
        """Add variants of a loop for the cases in which its addresses are proved consecutive."""
        forest, target, forced = self._loops.forest, self.target, self.options.forced
        try:
            limit = require_work_item_range(loop).limit
            one_pass = items_of_one_pass(loop, limit, target.lanes(32)) is not None
            if is_for_partial_groups(loop) or (one_pass and not forced):
                return NOTHING, []
            shape = self._loops.shapes(loop)
            if any(m.header in shape.masked for m in loop.children):
                return NOTHING, []  # lanes that wait for each other cost more than the loads
            addresses = [a for a in candidates(loop, shape) if self._budget.allows(a)]
            if not addresses:
                return NOTHING, []
            width = forced or lane_count(loop, if_proved(loop, forest, addresses), target)
        except CannotVectorize:
            return NOTHING, []
        proved = proved_cases(loop, shape, width, addresses, self._budget)
        policy = VariantPolicy(target, self._code.budget, always=bool(forced))
        added = add_variants(loop, forest, shape, proved, PlanOptions(width, self.vector_form), policy)
        if added:
            self._loops.change(loop)
        return proved, [
            Outcome(
                header=loop.header.name or "",
                width=width,
                block=loop.header,
                estimate=variant.estimate,
                straight=not loop.children,
                accesses=variant.accesses,
                condition=variant.condition,
            )
            for variant in added
        ]

    def _strategy_across_lanes(self, loop: Loop, shape: Lanes) -> str:
        """Return the strategy of divergent loops in a loop with cross-lane operations."""
        divergent = self.options.divergent
        under_masks = (inner for inner in loop.nest() if inner.header in shape.masked)
        if divergent == "narrow" or any(map(cross_lane_size, under_masks)):
            return "masked"
        return DEFAULT_STRATEGY if divergent == "auto" else divergent

    # Emission

    def _sub_groups(self, loop: Loop, size: int) -> None:
        """Vectorize a loop with cross-lane operations, one lane per work-item of a sub-group, at any cost."""
        try:
            counter, limit = require_work_item_range(loop)
            start = counter.incoming_from(loop.preheader) if loop.preheader is not None else None
            ends = [end.value for end in (start, limit) if isinstance(end, ConstantInt)]
            if len(ends) < 2 or any(end % size for end in ends):
                raise CannotVectorize(NotVectorized.NOT_COUNTING_WORK_ITEMS)
            rough = lanes(loop, counter, self._loops.forest)
            facts = SubGroupFacts(loop, counter, size, rough.masked)
            shape = lanes(loop, counter, self._loops.forest, facts)
            choice = Choice(size, (self._strategy_across_lanes(loop, shape),))
            self.outcomes.append(self._emit(loop, Selected(choice, ProvedCases(facts, ()))))
        except CannotVectorize as error:
            self.outcomes.append(self._leave(loop, error.refusal, None, self.options.divergent))

    def _make_versions(self, loop: Loop, choice: Choice) -> None:
        """Create several versions of a loop; they are visited as loops of their own."""
        assert self.records is not None
        strategies = choice.strategies
        versions = choose_at_run_time(loop, strategies, self.records)
        why = reason(choice.estimate, strategies, self.options.divergent)
        place = self._places[loop.header]
        for version, strategy in zip(versions, strategies, strict=True):
            self._versions[version.header] = _Version(strategy, why)
            self._places[version.header] = place
            if strategy == SCALAR:
                blocks = {version.block(block) for block in loop.blocks}
                for array in self._emitter.arrays:
                    array.stay_dense_in(blocks)
        self._loops.revisit(loop)
        self._loops.change(loop)

    def _emit(self, loop: Loop, selected: Selected) -> Outcome:
        """Emit the vector code of a loop. Raises CannotVectorize if it has no vector form."""
        choice, estimate = selected.choice, selected.choice.estimate
        (strategy,) = choice.strategies
        accesses = self._emitter.emit(loop, selected)
        strategy_reason: Reason | None = None
        if loop.header in self._versions:
            strategy, strategy_reason = self._versions[loop.header]
        elif estimate is not None and estimate.serial is not None:
            strategy_reason = reason(estimate, choice.strategies, self.options.divergent)
        return Outcome(
            header=recorded_header(loop.header).name or "",
            width=choice.width,
            block=loop.header,
            estimate=estimate,
            straight=not loop.children,
            accesses=accesses,
            divergent=strategy_reason,
            strategy=strategy,
            fast_path=selected.fast.reason if selected.fast is not None else None,
            left_out=self._code.budget.refused(loop.header),
        )

    def _leave(self, loop: Loop, refusal: Reason, estimate: Estimate | None, strategy: str) -> Outcome:
        """Leave a loop scalar."""
        forest, straight = self._loops.forest, not loop.children
        if straight and not self.options.forced:
            refusal = leave_straight_loop(loop, forest, self.target, refusal)
        elif not self.options.forced and work_item_range(loop) is not None:
            refusal = leave_loop_nest(loop, self._loops.shapes(loop), self.target, refusal)
        if self.records is not None:
            count_scalar_iterations(loop, forest, self.records)
        version = self._versions.get(loop.header)
        return Outcome(
            header=recorded_header(loop.header).name or "",
            width=1,
            block=loop.header,
            refusal=refusal,
            estimate=estimate,
            straight=straight,
            divergent=version.reason if version is not None else None,
            strategy=strategy,
            left_out=self._code.budget.refused(loop.header),
        )
