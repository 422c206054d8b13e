"""Choose the dimension of the innermost work-item loop: the one along which accesses are consecutive.

It is nearly always x. A kernel that reads `a[get_global_id(0) * height + get_global_id(1)]` is column-major:
with y innermost its accesses become vector loads, with x they would be gathers.

Each access adds to the score of a dimension if it is consecutive along it, less if it is invariant, and
subtracts otherwise; accesses in inner loops weigh more.
"""

from weft.ir import Function
from weft.ir.address_spaces import PRIVATE
from weft.ir.loops import loop_forest
from weft.ir.types import address_space, size_of
from weft.target import Costs

from .id_evolution import ProbableStrides
from .shapes import Shapes

# The deepest loop nesting that increases the weight, to limit the size of the numbers.
DEEPEST = 3


def innermost_dimension(
    function: Function, shape: Shapes, extents: tuple[int | None, ...] | None, least: int, costs: Costs
) -> int:
    """Return 0, 1 or 2 for x, y or z; only dimensions with at least `least` work-items are candidates.

    If `extents` is None, return 0.
    """
    if extents is None:
        return 0
    scores = [0, 0, 0]
    strides = ProbableStrides(shape)
    forest = loop_forest(function)
    for block in function.blocks:
        depth = min(forest.depth(block), DEEPEST)
        for i in block.instructions:
            if i.opcode not in ("load", "store"):
                continue
            pointer = i.operands[-1]
            if address_space(pointer.type) == PRIVATE:
                continue
            size = size_of((i if i.opcode == "load" else i.operands[0]).type)
            for dimension, stride in enumerate(strides.of(pointer)):
                worth = 2 if stride in (size, -size) else 1 if stride == 0 else -2
                scores[dimension] += worth * costs.loop_trips**depth
    possible = [d for d, n in enumerate(extents) if n is not None and n >= least]
    best = max(possible, key=lambda d: (scores[d], -d), default=0)
    return best if 0 not in possible or scores[best] > scores[0] else 0
