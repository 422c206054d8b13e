"""Version a work-item loop for the conditions under which its addresses are proved consecutive.

    for (x = 0; x < 256; x++)             if (offset % 16 == 0 && step % 16 == 0)
      a[2 * step * (x / step)               for (x = 0; x < 256; x += 16) … one vector load …
        + x % step] …                     else if (offset % 4 == 0 && step % 4 == 0)
                                            for (x = 0; x < 256; x += 16) … four vector loads …
                                          else
                                            for (x = 0; x < 256; x++) …

The conditions are uniform and are tested once in the preheader. The general loop runs the remainder of a
variant.

Requires what `vectorize_loop` requires. An unprofitable case gets no variant.
"""

from weft.analysis.lanes import Lanes, lanes
from weft.dataclasses import dataclass
from weft.ir import Function, Instruction
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.target import Target
from weft.transform.cost_model.code_size import CodeBudget, TooLong, length
from weft.transform.cost_model.estimate import Estimate, estimate

from .access_forms import WideAccess
from .cannot_vectorize import CannotVectorize
from .counted_loop import require_work_item_range
from .lanewise import VectorForm
from .loop_plan import plan_loop
from .proved_cases import Case, ProvedCases
from .vectorize_loop import emit_loop

# Largest loop, in instructions of a work-item, that gets variants.
LONGEST = 400


@dataclass(frozen=True)
class AddedVariant:
    """A variant: its condition as text, its estimate, and the forms of its memory accesses."""

    condition: str
    estimate: Estimate
    accesses: tuple[tuple[Instruction, tuple[WideAccess, ...]], ...]


def add_variants(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    proved: ProvedCases,
    shape: Lanes,
    width: int,
    target: Target,
    vector_form: VectorForm,
    always: bool,
    budget: CodeBudget,
) -> list[AddedVariant]:
    """Add a variant with `width` lanes for each profitable case, or for all cases (`always`).

    `shape` has the shapes of the loop in general. `budget` limits the code of all variants of the kernel.
    """
    added: list[AddedVariant] = []
    if not proved.cases or length(loop) > LONGEST:
        return added
    general = estimate(loop, forest, shape, width, target)
    for case in proved.cases:
        cost = _cost(function, loop, forest, case, width, target)
        if not always and not cost.is_worth_variant_of(general):
            continue
        if not budget.take(length(loop), loop, TooLong.CASE, condition=str(case)):
            continue
        accesses = _add(function, loop, forest, case, width, vector_form)
        if accesses is not None:
            added.append(AddedVariant(str(case), cost, accesses))
    return added


def _cost(
    function: Function, loop: Loop, forest: LoopForest, case: Case, width: int, target: Target
) -> Estimate:
    counter = require_work_item_range(loop).counter
    return estimate(loop, forest, lanes(function, loop, counter, forest, case.assumed), width, target)


def _add(
    function: Function, loop: Loop, forest: LoopForest, case: Case, width: int, vector_form: VectorForm
) -> tuple[tuple[Instruction, tuple[WideAccess, ...]], ...] | None:
    """Add one variant; None if it has no vector form."""
    preheader = loop.preheader
    assert preheader is not None
    try:
        plan = plan_loop(function, loop, forest, width, vector_form, assumed=case.assumed)
    except CannotVectorize:
        return None
    emitted = emit_loop(plan, case.emit(Builder(preheader, preheader.terminator)))
    return tuple((i, tuple(forms)) for i, forms in emitted.accesses.items())
