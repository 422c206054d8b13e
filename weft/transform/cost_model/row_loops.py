"""Inner loops along a row of each work-item, which LLVM vectorizes if work-items run sequentially.

    for (k = 1; k < n - 1; k++) out[i * n + k] = in[i * n + k - 1] + in[i * n + k] + in[i * n + k + 1];

Work-items in lanes access elements that are a row apart: these are gathered and scattered, or whole pieces of
rows are transposed. Iterations in lanes access consecutive elements, so that an access costs no more than an
operation.

LLVM does well on innermost loops that count by one and do not branch, in which each access advances by one
element or is invariant, no store aliases another access, and only counters and integer sums are loop-carried:
floating-point sums are ordered, and lanes add the rows of several work-items at once. Library calls and
integer divisions are left to Weft's vectorizer.

    for (int k = 0; k < 512; k++) table[k] = k;

A private array is such a row only after the decision that work-items run sequentially: in lanes, it has
another layout.

Pure functions of the loop and the target.
"""

from weft.analysis.evolution import VARYING, LoopEvolution, Wrapping
from weft.analysis.induction import induction, trip_count
from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass
from weft.ir import Instruction
from weft.ir.address_spaces import PRIVATE
from weft.ir.loops import Loop
from weft.ir.types import IntType, VectorType, address_space, size_of
from weft.target import Target
from weft.transform.canonical.unroll_array_loops import is_short
from weft.transform.simd.lane_accesses import is_of_whole_bytes
from weft.transform.simd.lanewise import LANEWISE
from weft.transform.simd.strided_rows import AliasQueries, stores_stand_alone, unit_step_loop
from weft.transform.simd.wide_memory import MAX_STRIDE

# The assumed length of a row. On Zen 4, sums of 16 integers take as long in lanes as along the row, those of
# 32 and more take longer; pieces of less than 16 are gathered in lanes, which takes longest.
_LENGTH = 32
# Operations that LLVM does not vectorize.
_SCALAR = ("udiv", "sdiv", "urem", "srem", "frem", "alloca", "atomicrmw", "cmpxchg", "fence")


@dataclass(frozen=True)
class RowLoop:
    """A loop along rows: how many iterations form a vector, and its assumed trip count.

    `addresses` are the instructions that are loop-invariant or have a stride: counters, and parts of
    addresses.
    """

    lanes: int
    trips: int
    addresses: frozenset[Instruction]


def row_loops(loop: Loop, shape: Lanes, target: Target, serial: bool = False) -> dict[Loop, RowLoop]:
    """Return the loops in a work-item loop that LLVM vectorizes along rows.

    `serial`: work-items run sequentially whatever the result. Loops along private arrays are then included if
    their trip count is constant, and too large to unroll them so that the array's elements become values.
    """
    inner = [m for child in loop.children for m in child.nest() if not m.children]
    rows = {m: row for m in inner if (row := _row_loop(m, shape, target, serial)) is not None}
    if not rows:
        return {}
    aliases = AliasQueries(loop.header.parent, None)
    return {m: row for m, row in rows.items() if stores_stand_alone(m, aliases)}


def is_far(access: Instruction, shape: Lanes) -> bool:
    """Whether lanes would gather or scatter, because their elements are not near each other."""
    evolution, size = shape.of(access.operands[-1]), size_of(access.accessed_type)
    return evolution is None or abs(evolution.stride) > MAX_STRIDE * size


def _row_loop(loop: Loop, shape: Lanes, target: Target, serial: bool) -> RowLoop | None:
    """Return a loop as a row loop if it is one, regardless of what its stores may alias."""
    unit_step = unit_step_loop(loop)
    others = [block for block in loop.blocks if block is not loop.header]
    if unit_step is None or any(len(block.terminator.operands) != 1 for block in others):
        return None
    sums = [phi for phi in loop.header.phis() if induction(loop, phi) is None]
    if not all(_is_integer_sum(phi, loop) for phi in sums):
        return None
    body = list(loop.instructions())
    trips = trip_count(loop)
    private = serial and trips is not None and not is_short(loop)
    if not all(_has_vector_form(i, private) for i in body):
        return None
    steps = LoopEvolution(loop, Wrapping.IGNORED)
    accesses = [i for i in body if i.opcode in ("load", "store")]
    if not all(_is_contiguous(i, steps) for i in accesses):
        return None
    along = [i for i in accesses if not steps.is_invariant(i.operands[-1])]
    if not any(is_far(i, shape) or (private and _is_private(i)) for i in along):
        return None
    widest = max([4, *(size_of(i.accessed_type) for i in accesses), *(size_of(phi.type) for phi in sums)])
    lanes = target.register_bits // (8 * widest)
    by_steps = frozenset(i for i in body if not i.info.reads and steps.of(i) is not VARYING)
    return RowLoop(lanes, _LENGTH if trips is None else trips, by_steps) if lanes > 1 else None


def _is_contiguous(access: Instruction, steps: LoopEvolution) -> bool:
    """Whether iterations access consecutive elements, or all load the same one."""
    step = steps.of(access.operands[-1])
    if step is VARYING:
        return False
    return step.stride == size_of(access.accessed_type) or (step.stride == 0 and access.opcode == "load")


def _is_private(access: Instruction) -> bool:
    return address_space(access.operands[-1].type) == PRIVATE


def _has_vector_form(i: Instruction, private: bool) -> bool:
    """Whether LLVM vectorizes a loop that contains an instruction; `private`: also a private access."""
    if i.opcode in _SCALAR or isinstance(i.type, VectorType) or i.is_ordered:
        return False
    if i.opcode in ("load", "store"):
        return is_of_whole_bytes(i.accessed_type) and (private or not _is_private(i))
    if i.opcode == "call":
        name = i.callee_name.removeprefix("llvm.").rpartition(".")[0]
        return i.callee_name.startswith("llvm.") and name in LANEWISE
    return True


def _is_integer_sum(phi: Instruction, loop: Loop) -> bool:
    """Whether a phi of a loop is an integer sum that is not used in the loop otherwise."""
    following = phi.incoming_from(loop.latch) if loop.latch is not None else None
    if (
        not isinstance(phi.type, IntType)
        or not isinstance(following, Instruction)
        or following.opcode != "add"
    ):
        return False
    inside = [user for value in (phi, following) for user in value.users if user.block in loop.blocks]
    return following.operands.count(phi) == 1 and len(inside) == 2 and {*inside} == {phi, following}
