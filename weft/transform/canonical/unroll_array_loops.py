"""Mark short loops for unrolling if that keeps a private array in registers.

    float c[16];                                  c is 16 values
    ...  c[3] += a * b;  barrier(...);       ->   ...
    for (int i = 0; i < 16; i++)                  out[0] = c0; out[1 * n] = c1; ...
      out[i * n] = c[i];

A private array that is live across a barrier is memory of each work-item: lanes access elements with constant
indices one lane at a time. If all other accesses are in loops whose induction variables select the element,
the array can be promoted once these loops are unrolled; its elements become context arrays of scalars, or
registers between barriers. LLVM itself unrolls only the smallest of these loops; this pass marks all that
`is_short` permits.

An array of vectors that is not promoted is accessed by components (`simd/split_private_vectors.py`), and
computations on it are split too. So its loops are unrolled even in kernels without barriers. For other arrays
of such kernels the loops are unrolled later (`workgroup/disable_inner_loop_vectorization.py`).

Refuses an array with an access whose index is neither constant nor determined by a short loop, and loops that
the program excludes from unrolling. Requires natural loops with one latch; changes only metadata. Linear in
the slices of the addresses.
"""

from enum import unique

from weft.analysis.induction import induction, trip_count
from weft.analysis.private_arrays import private_array
from weft.analysis.work_items import is_barrier
from weft.ir import Constant, Function, Instruction, Value
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.metadata import add_loop_properties, loop_properties
from weft.ir.slices import backward_slice
from weft.ir.types import ArrayType, VectorType
from weft.remarks import SILENT, Message, Remarks

UNROLLED = '!{!"llvm.loop.unroll.full"}'

# The most iterations of unrolled loops over private arrays, and the most instructions in all iterations.
MOST_TRIPS = 32
MOST_INSTRUCTIONS = 512

_INDEX_OPCODES = frozenset(
    ("getelementptr", "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "sext", "zext", "trunc")
)


@unique
class ArrayLoops(Message):
    """What was done to a loop over a private array of vectors, or of a kernel with barriers."""

    UNROLLED = "loop unrolled, so that a private array is promoted to registers"
    UNKNOWN_ELEMENT = "a private array stays in memory: its index does not depend on a short loop alone"


def unroll_array_loops(function: Function, remarks: Remarks = SILENT) -> bool:
    """Mark the loops of a kernel; return whether there are any."""
    across_barriers = any(is_barrier(i) for i in function.instructions())
    allocas = [i for i in function.entry.instructions if i.opcode == "alloca"]
    arrays = allocas if across_barriers else list(filter(_has_vectors, allocas))
    if not arrays:
        return False
    forest = loop_forest(function)
    marked: dict[Loop, None] = {}
    for alloca in arrays:
        marked |= _loops_of_array(alloca, forest, remarks)
    for loop in marked:
        remarks.passed(ArrayLoops.UNROLLED, loop)
        add_loop_properties(loop.known_latch, function.parent.add_metadata(UNROLLED))
    return bool(marked)


def is_short(loop: Loop) -> bool:
    """Whether an innermost loop is small enough to unroll completely."""
    trips = trip_count(loop) if not loop.children else None
    size = sum(len(block.instructions) - block.first_non_phi for block in loop.blocks)
    return trips is not None and 1 < trips <= MOST_TRIPS and trips * size <= MOST_INSTRUCTIONS


def _has_vectors(alloca: Instruction) -> bool:
    type = alloca.attributes["allocated"]
    return isinstance(type, ArrayType) and isinstance(type.element, VectorType)


def _loops_of_array(alloca: Instruction, forest: LoopForest, remarks: Remarks) -> dict[Loop, None]:
    """Return the loops whose unrolling lets an array be promoted; none if it could not be."""
    array = private_array(alloca, vectors=_has_vectors(alloca))
    loops: dict[Loop, None] = {}
    for access in array.accesses if array is not None else ():
        needed = _loops_of_address(access.operands[-1], alloca, forest)
        if needed is None:
            remarks.missed(ArrayLoops.UNKNOWN_ELEMENT, access)
            return {}
        loops |= needed
    return loops


def _loops_of_address(pointer: Value, alloca: Instruction, forest: LoopForest) -> dict[Loop, None] | None:
    loops: dict[Loop, None] = {}
    slice_ = backward_slice([pointer], lambda i: i is not alloca and i.opcode != "phi")
    for instruction in slice_:
        if instruction.opcode not in _INDEX_OPCODES:
            return None
    leaves = [o for i in slice_ for o in i.operands if o not in slice_ and o is not alloca]
    for leaf in leaves:
        if isinstance(leaf, Constant):
            continue
        loop = _counted_by(leaf, forest)
        if loop is None or not _may_unroll(loop):
            return None
        loops[loop] = None
    return loops


def _counted_by(phi: Value, forest: LoopForest) -> Loop | None:
    """Return the loop whose counter a value is, if it starts at a constant."""
    if not isinstance(phi, Instruction) or phi.block is None:
        return None
    loop = forest.loop_of(phi.block)
    counter = induction(loop, phi) if loop is not None else None
    return loop if counter is not None and isinstance(counter.start, Constant) else None


def _may_unroll(loop: Loop) -> bool:
    if loop.latch is None or not is_short(loop) or any(is_barrier(i) for i in loop.instructions()):
        return False
    return not any("llvm.loop.unroll.disable" in fact for fact in loop_properties(loop.latch))
