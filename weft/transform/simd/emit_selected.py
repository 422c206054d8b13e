"""Emit the vector code that was selected for a work-item loop, with the changes that precede it.

Private arrays get a column for each lane, neighbouring loads are joined, and the loop may get a fast path for
in-bounds accesses. All of these are planned first, so a loop without a vector form stays unchanged.
"""

from collections.abc import Collection, Sequence

from weft.dataclasses import dataclass, replace
from weft.ir import Block, Instruction
from weft.ir.loops import Loop, LoopForest, loops_from
from weft.target import Target
from weft.transform.cost_model.choose_lanes import Choice
from weft.transform.workgroup.private_arrays_by_lane import LaneArray

from .bounded_code import BoundedCode
from .join_loads import join_loads
from .lanewise import VectorForm
from .loop_plan import LoopPlan, PlanOptions, plan_loop
from .loop_queue import LoopQueue
from .loop_records import LoopRecords
from .outcome import AccessForms
from .predicated_remainder import can_predicate_remainder, predicate_remainder
from .proved_cases import NOTHING, ProvedCases
from .vectorize_loop import Accesses, emit_loop
from .version_in_bounds import InBounds, accesses_of, version_in_bounds
from .version_loop import LoopVersion, copy_loop


@dataclass(frozen=True)
class Selected:
    """What was selected for a loop: lanes and a strategy, proved facts about addresses, and a fast path."""

    choice: Choice
    proved: ProvedCases = NOTHING
    fast: InBounds | None = None


class Emitter:
    """Emits vector code for the loops of a queue.

    `arrays` are spread when a loop that uses them is about to be vectorized.
    """

    def __init__(
        self,
        loops: LoopQueue,
        code: BoundedCode,
        target: Target,
        vector_form: VectorForm,
        records: LoopRecords | None,
        arrays: Sequence[LaneArray],
    ) -> None:
        self.loops, self.code, self.target, self.vector_form = loops, code, target, vector_form
        self.records, self.arrays = records, arrays

    def emit(self, loop: Loop, selected: Selected) -> AccessForms:
        """Plan the vector code of a loop and emit it. Raises CannotVectorize if it has no vector form."""
        choice, fast = selected.choice, selected.fast
        self._spread_arrays(loop, selected)
        if fast is not None:
            self.code.budget.charge(loop.size)
        coherent = self.code.is_ample or self.code.allows_coherent(
            loop, choice, self.loops.shapes(loop, selected.proved.always)
        )
        source, forest, fast_blocks = loop, self.loops.forest, list[Block]()
        if fast is not None:
            forest, fast_blocks = self._add_fast_path(loop, selected, fast)
            (source,) = forest.roots
        self._join_loads(source, forest, selected)
        in_bounds = frozenset(accesses_of(fast_blocks))
        plan = self._plan(source, forest, selected, coherent)
        predicated = can_predicate_remainder(plan)
        emitted = emit_loop(plan, None, self.records, loop.header)
        self.loops.change(loop)
        if emitted.has_remainder and predicated:
            predicate_remainder(plan, loop, self.records)
        return _access_forms(emitted.accesses, in_bounds)

    def _spread_arrays(self, loop: Loop, selected: Selected) -> None:
        """Give each lane its column of private arrays; if it raises CannotVectorize, nothing has changed."""
        used = [array for array in self.arrays if not array.is_spread and array.is_used_in(loop)]
        if used:
            self._plan(loop, self.loops.forest, selected)
        for array in used:
            array.spread()
            self.loops.forget_shapes()

    def _add_fast_path(
        self, loop: Loop, selected: Selected, fast: InBounds
    ) -> tuple[LoopForest, list[Block]]:
        """Give a loop a fast path; if the loop stays as the remainder loop, give it to a copy.

        Returns the loop with the fast path and its inner loops, and the blocks of the path. If it raises
        CannotVectorize, nothing has changed.
        """
        preheader = loop.known_preheader
        version = LoopVersion(loop, {})
        has_remainder = self._plan(loop, self.loops.forest, selected).has_remainder
        self.loops.change(loop)
        if has_remainder:
            version = copy_loop(loop, "in_bounds", distinct=False)
            self._join_loads(loop, self.loops.forest, selected)
            preheader.terminator.replace_operand(loop.header, version.header)
            self.loops.skip(version.header)
            (loop,) = loops_from(version.header, preheader).roots
        blocks = version_in_bounds(loop, fast, version)
        return loops_from(version.header, preheader), blocks

    def _join_loads(self, loop: Loop, forest: LoopForest, selected: Selected) -> None:
        if selected.choice.strategies == ("serial",):
            return
        if join_loads(loop, self.loops.shapes_in(forest, loop, selected.proved.always)):
            self.loops.forget_shapes()

    def _plan(self, loop: Loop, forest: LoopForest, selected: Selected, coherent: bool = True) -> LoopPlan:
        """Plan the vector code of a loop; raises CannotVectorize."""
        (strategy,) = selected.choice.strategies
        options = PlanOptions(
            selected.choice.width,
            self.vector_form,
            strategy,
            register=self.target.lanes(32),
            coherent=coherent,
        )
        return plan_loop(loop, forest, self.loops.shapes_in(forest, loop, selected.proved.always), options)


def _access_forms(notes: Accesses, fast: Collection[Instruction]) -> AccessForms:
    """Return the forms of each memory access; those of the fast path, if there is one, come first."""
    if not fast:
        return tuple((i, tuple(forms)) for i, forms in notes.items())
    inside = {i: forms for i, forms in notes.items() if i in fast}
    others = {
        i: [replace(access, edge=True) for access in forms] for i, forms in notes.items() if i not in inside
    }
    return tuple((i, tuple(forms)) for i, forms in (*inside.items(), *others.items()))
