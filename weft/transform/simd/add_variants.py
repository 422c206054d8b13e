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

from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.target import Target
from weft.transform.cost_model.code_size import CodeBudget, TooLong
from weft.transform.cost_model.estimate import Estimate, estimate

from .cannot_vectorize import CannotVectorize
from .counted_loop import work_item_lanes
from .loop_plan import PlanOptions, plan_loop
from .outcome import AccessForms
from .proved_cases import Case, ProvedCases
from .vectorize_loop import emit_loop

# Largest loop, in instructions of a work-item, that gets variants.
LONGEST = 400


@dataclass(frozen=True)
class VariantPolicy:
    """Which variants are added: all that fit in the budget (`always`), or those that pay on the target."""

    target: Target
    budget: CodeBudget
    always: bool


@dataclass(frozen=True)
class AddedVariant:
    """A variant: its condition as text, its estimate, and the forms of its memory accesses."""

    condition: str
    estimate: Estimate
    accesses: AccessForms


def add_variants(
    loop: Loop,
    forest: LoopForest,
    shape: Lanes,
    proved: ProvedCases,
    options: PlanOptions,
    policy: VariantPolicy,
) -> list[AddedVariant]:
    """Add a variant for each case that the policy allows; `shape` has the shapes of the loop in general."""
    added: list[AddedVariant] = []
    if not proved.cases or loop.size > LONGEST:
        return added
    general = estimate(loop, forest, shape, options.width, policy.target)
    for case in proved.cases:
        case_shape = work_item_lanes(loop, forest, case.assumed)
        cost = estimate(loop, forest, case_shape, options.width, policy.target)
        if not policy.always and not cost.is_worth_variant_of(general):
            continue
        if not policy.budget.take(loop.size, loop, TooLong.CASE, condition=str(case)):
            continue
        accesses = _add(loop, forest, case, options)
        if accesses is not None:
            added.append(AddedVariant(str(case), cost, accesses))
    return added


def _add(loop: Loop, forest: LoopForest, case: Case, options: PlanOptions) -> AccessForms | None:
    """Add one variant; None if it has no vector form."""
    preheader = loop.known_preheader
    try:
        plan = plan_loop(loop, forest, work_item_lanes(loop, forest, case.assumed), options)
    except CannotVectorize:
        return None
    emitted = emit_loop(plan, case.emit(Builder(preheader, preheader.terminator)))
    return tuple((i, tuple(forms)) for i, forms in emitted.accesses.items())
