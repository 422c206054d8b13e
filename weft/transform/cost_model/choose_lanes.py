"""Choose the number of lanes for a work-item loop and estimate its cost; or leave the loop to LLVM.

LLVM's loop vectorizer does well on work-item loops without inner loops, even if work-items branch
differently. Loops that it would not vectorize, or not well, get lanes here: those that contain other loops,
call the library, divide integers, branch by a `switch` of few cases, store with gaps or only in some
work-items, gather neighbouring elements, or have many indices that could wrap; and loops over so few
work-items that all are lanes of one vector iteration.

Pure functions of the loop and the target.
"""

from collections.abc import Sequence

from weft.analysis.evolution import MOST_LANES
from weft.analysis.lanes import LANE, Lanes
from weft.analysis.memory_effects import is_own_function, reads_images
from weft.dataclasses import dataclass
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.loops import Loop, LoopForest
from weft.ir.opcodes import BINARY
from weft.ir.types import I64, VectorType, size_of
from weft.target import Target
from weft.transform.simd.cannot_vectorize import CannotVectorize, NotVectorized
from weft.transform.simd.counted_loop import require_work_item_range
from weft.transform.simd.join_loads import joined_loads
from weft.transform.simd.lane_values import only_in_single_lanes
from weft.transform.simd.proved_cases import is_hidden
from weft.transform.simd.version_in_bounds import InBounds
from weft.transform.simd.wide_division import divides_by_floats
from weft.transform.simd.wide_memory import is_sparse
from weft.transform.simd.wide_vectors import components

from .estimate import (
    DEFAULT_STRATEGY,
    LANES,
    SCALAR,
    Estimate,
    estimate,
    interleaving,
    is_builtin,
    is_wide,
    scalar_cost,
)

# Fewer lanes are shorter than any vector register.
MIN_WIDTH = 4
# Sizes of work-groups whose work-items may all be lanes of one vector iteration.
GROUPS = (4, 8, 16, 32)
# The cost, in instructions, of masking one case of a `switch`, and of a jump to a mispredicted case, where
# half of the jumps are mispredicted.
MASK = 4
MISPREDICTED = 40


@dataclass(frozen=True)
class Choice:
    """The choices for a work-item loop: lanes, strategies of divergent loops, and the estimated cost."""

    width: int
    strategies: tuple[str, ...]
    estimate: Estimate | None = None
    pays: bool = True


def choose(
    loop: Loop,
    forest: LoopForest,
    shape: Lanes,
    target: Target,
    strategy: str,
    tries: bool,
    fast: InBounds | None,
) -> Choice:
    """Choose lanes, and strategies of divergent loops; raise CannotVectorize if LLVM does as well.

    `strategy` is the requested strategy, that of a version, or `auto`; with `tries`, several may be tried at
    run time. The other parameters are those of `choose_lanes`.
    """
    width, cost = choose_lanes(loop, forest, shape, target, fast)
    if strategy == SCALAR:
        return Choice(width, (SCALAR,), cost, pays=False)
    if strategy == LANES:
        return Choice(width, (DEFAULT_STRATEGY,), cost)
    strategies: tuple[str, ...] = (strategy,)
    if strategy == "auto":
        if cost.serial is None:
            tries &= bool(loop.children) and not shape.assumed  # versions have no facts that were proved
        strategies = cost.strategies_to_try() if tries else (DEFAULT_STRATEGY,)
    if len(strategies) > 1:
        return Choice(width, strategies, cost)
    if not cost.pays_in(strategy):
        return Choice(width, strategies, cost, pays=False)
    if not shape.assumed:  # assumptions hold for a number of lanes
        width = width_for(strategies[0], loop, width, target.lanes(32))
    return Choice(width, strategies, cost)


def width_for(strategy: str, loop: Loop, width: int, register: int) -> int:
    """Return the lanes of a loop for a strategy; `width` suits other strategies, `register` is one
    register's.

    `dvec` takes the whole work-group if possible; `narrow` takes half a register.
    """
    if any(LANE in i.metadata for i in loop.instructions()):
        return width  # private arrays have this many columns
    if strategy == "narrow":
        return max(min(width, register) // 2, MIN_WIDTH)
    if strategy != "dvec":
        return width
    items = MOST_LANES
    limit = require_work_item_range(loop).limit
    if isinstance(limit, ConstantInt):
        items = min(items, max(limit.value, width))
    return 1 << (items.bit_length() - 1)


def choose_lanes(
    loop: Loop,
    forest: LoopForest,
    shape: Lanes,
    target: Target,
    fast: InBounds | None,
) -> tuple[int, Estimate]:
    """Return the number of lanes that suits a loop, and its cost; raise CannotVectorize if LLVM does as well.

    `shape` has the analysis of the loop; if it contains proofs about addresses, they fix the number of lanes.
    `fast` is the path of most work-items, if the loop gets one; the estimate is then for that path.
    """
    limit = require_work_item_range(loop).limit
    proved = shape.assumed
    varying = [i for i in loop.instructions() if shape.is_varying(i)]
    longest = max((components(i.type) for i in varying), default=1)
    usual = shape if fast is None else fast.shape
    # In one pass, vectors are longer: blocks of float4 that are transposed take a tenth longer.
    width = items_of_one_pass(loop, limit, target.lanes(32)) if longest == 1 else None
    if width is not None:
        return width, estimate(loop, forest, usual, width, target, fast)
    beyond_llvm = any(is_builtin(i) or divides_by_floats(i) or is_own_function(i) for i in varying)
    beyond_llvm |= _scatters(shape) or _leaves_gaps(loop, shape) or is_hidden(proved)
    beyond_llvm |= _may_wrap(loop, shape, target.costs.tested_indices) or reads_images(loop.header.parent)
    beyond_llvm |= _switches_in_lanes(shape, target) or bool(joined_loads(loop, shape))
    if not loop.children and longest == 1 and not beyond_llvm and fast is None:
        raise CannotVectorize(NotVectorized.LEFT_TO_LLVM)
    width = proved.width if proved else lane_count(loop, shape, target)
    return width, estimate(loop, forest, usual, width, target, fast)


def lane_count(loop: Loop, shape: Lanes, target: Target) -> int:
    """Return the number of lanes that suits a loop; raise CannotVectorize if there are too few work-items."""
    counter, limit = require_work_item_range(loop)
    single = only_in_single_lanes(shape, loop)
    varying = [i for i in loop.instructions() if shape.is_varying(i) and i not in single]
    longest = max((components(i.type) for i in varying), default=1)
    width = target.lanes(32)
    wide = [i for i in varying if is_wide(i) and (not loop.children or _is_in_inner_loop(i, loop))]
    if wide and reads_images(loop.header.parent):
        # Pixel addresses are computed with 64 bits, whatever the type of the colours.
        leading = _leading_to_addresses(varying)
        wide = [i for i in wide if i not in leading]
    if wide:
        width //= 2
    computed = [i for i in varying if i.opcode in BINARY or i.opcode == "call"]
    vectors = sum(isinstance(i.type, VectorType) for i in computed)
    if longest > 1 and 2 * vectors >= len(computed):
        width = max(2, width >> (longest - 1).bit_length())
    assert loop.preheader is not None
    start = counter.incoming_from(loop.preheader)
    items = None
    if isinstance(limit, ConstantInt) and isinstance(start, ConstantInt):
        items = max(limit.value - start.value, 1)
        while width > items:
            width //= 2
    if width < (MIN_WIDTH if longest == 1 else 2):
        raise CannotVectorize(NotVectorized.TOO_FEW_WORK_ITEMS)
    return width * interleaving(loop, shape, width, items, target)


def _is_in_inner_loop(value: Instruction, loop: Loop) -> bool:
    """Return whether an inner loop computes or uses a value."""
    blocks = [value.parent, *(u.parent for u in value.users)]
    return any(block in inner.blocks for inner in loop.children for block in blocks)


def _leading_to_addresses(values: Sequence[Instruction]) -> set[Instruction]:
    """Return the 64-bit integers among some values that are used only to compute addresses."""
    integers = {i for i in values if i.type is I64}
    others = [i for i in integers if any(u.opcode != "getelementptr" and u not in integers for u in i.users)]
    while others:
        i = others.pop()
        if i in integers:
            integers.discard(i)
            others += [o for o in i.operands if isinstance(o, Instruction) and o in integers]
    return integers


def items_of_one_pass(loop: Loop, limit: Value, columns: int) -> int | None:
    """Return the work-items of a loop if all can be lanes at once; private arrays have `columns` columns."""
    if loop.children or not isinstance(limit, ConstantInt) or limit.value not in GROUPS:
        return None
    by_lane = any(LANE in i.metadata for i in loop.instructions())
    return limit.value if limit.value <= columns or not by_lane else None


def _may_wrap(loop: Loop, shape: Lanes, most: int) -> bool:
    """Whether more indices could wrap between neighbours than LLVM would test."""
    addresses = (i.operands[-1] for i in loop.instructions() if i.opcode in ("load", "store"))
    needs = [f.needs for address in addresses if (f := shape.of(address)) is not None]
    return not shape.masked and len(frozenset().union(*needs)) > most


def _leaves_gaps(loop: Loop, shape: Lanes) -> bool:
    """Whether the loop has one store, with small gaps between work-items; LLVM would scatter."""
    stores = [i for i in loop.instructions() if i.opcode == "store"]
    return len(stores) == 1 and is_sparse(shape.of(stores[0].operands[1]), stores[0].operands[0].type)


def _switches_in_lanes(shape: Lanes, target: Target) -> bool:
    """Whether a `switch` costs less in lanes, which run all its cases, than mispredicted jumps."""
    jumps = [b for b in shape.divergent if b.terminator.opcode == "switch"]
    cases = max((len(block.successors()) for block in jumps), default=0)
    masked = sum(scalar_cost(i, target) for block in shape.masked for i in block.instructions)
    return cases > 0 and masked + MASK * cases < target.lanes(32) * (masked / cases + MISPREDICTED)


def _scatters(shape: Lanes) -> bool:
    """Whether masked code stores to addresses that are not consecutive."""
    for block in shape.masked:
        for i in block.instructions:
            if i.opcode == "store":
                evolution = shape.of(i.operands[1])
                if evolution is None or evolution.stride != size_of(i.operands[0].type):
                    return True
    return False
