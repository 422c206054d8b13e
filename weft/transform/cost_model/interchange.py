"""Whether it is profitable to interchange a loop of the kernel with the work-item loop.

It is if all of the following hold:

- The loop is innermost, LLVM would not unroll it completely, and its body can be vectorized (no atomics,
  volatile accesses, vector types, or calls that are not plain functions of their operands).
- It carries at most `Costs.carried_bytes` of divergent values between iterations; each value costs a load and
  a store of its context array. It carries none if a few registers hold all work-items: a load would then
  wait for the store that is only some instructions back.
- Consecutive iterations access distant memory: then all work-items together read whole rows, while each on
  its own would jump from row to row. Addresses that depend on data of the same iteration or on decisions of
  the work-item in earlier ones lie in no rows, nor do those that a mask or a remainder keeps in a table. Most
  addresses may not depend on data, and none may contain quotients of ids.
- It does not use private arrays that are laid out by lane (`private_arrays_by_lane`).
"""

from collections.abc import Callable, Sequence
from enum import unique
from math import prod

from weft.analysis.divergence import Divergence
from weft.analysis.evolution import VARYING, Evolution, LoopEvolution, Wrapping
from weft.analysis.induction import trip_count
from weft.analysis.memory_effects import base_of
from weft.analysis.private_arrays import private_array
from weft.analysis.work_items import is_barrier
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.slices import backward_slice
from weft.ir.types import size_of
from weft.remarks import Message, Reason
from weft.target import Costs
from weft.transform.cost_model.choose_lanes import GROUPS
from weft.transform.workgroup.context_arrays import STACK_LIMIT

# The most iterations times instructions of loops that LLVM unrolls completely.
UNROLLED_SIZE = 150
# The most registers of work-items whose loads of carried values wait for the stores of the iteration before:
# groups of 64 with 16 lanes run two to three times as fast without interchange, groups of 128 as fast or
# slower.
FEW_REGISTERS = 4


@unique
class Interchange(Message):
    """What was done to a loop of the kernel."""

    INTERCHANGED = "its trip count is uniform; its body became the work-item loop"
    # Interchange is not legal:
    HOLDS_BARRIER = "it contains a barrier: work-items run its iterations in lock step"
    NEVER_ENDS = "it never ends"
    DIVERGENT_TRIP_COUNT = "its trip count is divergent, or not all work-items enter it"
    # Interchange is not profitable:
    HOLDS_LOOP = "it contains another loop"
    READS_NOTHING = "it has no varying load"
    NOT_VECTORIZABLE = (
        "it contains operations that cannot be vectorized (atomics, volatile, calls with pointers)"
    )
    LANE_COLUMNS = "it uses a private array that is laid out by lane"
    VECTOR_TYPES = "it computes with OpenCL's vector types, which LLVM does not vectorize further"
    CARRIES_TOO_MUCH = "it has {carried} bytes of varying loop-carried values, more than {limit}"
    CARRIES_AT_ONCE = (
        "loads of its {carried} varying loop-carried values would wait for the stores before them"
    )
    READS_ON = "each work-item reads consecutive elements, so interchange gains nothing"
    READS_ON_OR_BY_DATA = (
        "each work-item reads consecutive elements, or by loaded values, so interchange gains nothing"
    )
    FOLLOWS_DATA = "most of its addresses depend on loaded values"
    DIVIDED_POSITIONS = "its addresses contain quotients of ids, which are handled better in SIMD lanes"
    UNROLLED = "its trip count {iterations} is small enough to unroll"
    # The pass does not run:
    NOT_OPTIMIZED = "the code is not optimized"
    MAY_WAIT = "work-items that may wait for each other in functions run sequentially"
    METHOD = "WEFT_WORKGROUP={method} keeps kernel loops inside the work-item loop"
    TOO_FEW_WORK_ITEMS = "the work-group has too few work-items for SIMD lanes"


def fits_few_registers(items: Sequence[int] | None, lanes: int) -> bool:
    """Whether a few registers of `lanes` hold all work-items, and rows are not lanes of one pass.

    In one pass, LLVM keeps what one region stores and the next loads in registers.
    """
    return items is not None and prod(items) <= FEW_REGISTERS * lanes and items[0] not in GROUPS


def why_not_interchange(loop: Loop, shape: Divergence, costs: Costs, few: bool) -> Reason | None:
    """Return why it is not profitable to interchange a loop with the work-item loop; None if it is.

    `few`: a few registers hold all work-items.
    """
    if loop.children:
        return Reason(Interchange.HOLDS_LOOP)
    body = list(loop.instructions())
    if not any(not shape.is_uniform(i) and i.info.reads for i in body):
        return Reason(Interchange.READS_NOTHING)
    if any(not _is_vectorizable(i) for i in body):
        return Reason(Interchange.NOT_VECTORIZABLE)
    if _uses_lane_columns(loop):
        return Reason(Interchange.LANE_COLUMNS)
    if any(i.type.is_vector and not shape.is_uniform(i) for i in body):
        return Reason(Interchange.VECTOR_TYPES)
    carried = [phi for phi in loop.header.phis() if not shape.is_uniform(phi)]
    bytes = sum(size_of(phi.type) for phi in carried)
    if bytes > costs.carried_bytes:
        return Reason(Interchange.CARRIES_TOO_MUCH, carried=bytes, limit=costs.carried_bytes)
    steps = _steps(loop)
    loads = [i for i in body if i.opcode == "load" and not shape.is_uniform(i)]
    accesses = [i for i in body if i.opcode in ("load", "store") and not shape.is_uniform(i.operands[-1])]
    far = [i for i in loads if not _stays_near(i.operands[0], loop, steps, costs.cache_line)]
    if not far:
        return Reason(Interchange.READS_ON)
    by_data = {i for i in accesses if _follows_data(i.operands[-1], loop, shape)}
    if 2 * len(by_data) > len(accesses):
        return Reason(Interchange.FOLLOWS_DATA)
    if by_data.issuperset(far):
        return Reason(Interchange.READS_ON_OR_BY_DATA)
    if any(_is_divided(i.operands[-1], shape) for i in accesses):
        return Reason(Interchange.DIVIDED_POSITIONS)
    trips = trip_count(loop)
    if trips is not None and trips * len(body) <= UNROLLED_SIZE:
        return Reason(Interchange.UNROLLED, iterations=trips)
    if carried and few:
        return Reason(Interchange.CARRIES_AT_ONCE, carried=len(carried))
    return None


def _steps(loop: Loop) -> LoopEvolution:
    """Return the steps of values from one iteration to the next; those of quotients are means, at least 1."""
    steps = LoopEvolution(loop, Wrapping.IGNORED)
    quotients: dict[Value, Evolution | None] = {}
    for i in loop.instructions():
        divisor = _divisor(i)
        step = steps.of(i.operands[0]) if divisor is not None else VARYING
        if divisor is not None and step is not VARYING and steps.of(i) is VARYING:
            quotients[i] = Evolution(max(1, abs(step.stride) // divisor) * (1 if step.stride > 0 else -1))
    return LoopEvolution(loop, Wrapping.IGNORED, quotients)


def _divisor(i: Instruction) -> int | None:
    """Return the positive constant by which an instruction divides."""
    by = i.operands[1] if i.opcode in ("lshr", "ashr", "udiv", "sdiv") else None
    if not isinstance(by, ConstantInt):
        return None
    if i.opcode in ("lshr", "ashr"):
        return 1 << by.value if by.value < by.type.bits else None
    return by.value if by.value > 0 else None


def _stays_near(pointer: Value, loop: Loop, steps: LoopEvolution, line: int) -> bool:
    """Whether iterations do not advance from row to row: steps are short, or bits of a counter are cut off.

    A mask or a remainder keeps an address in a table, whose rows work-items do not traverse together.
    """
    step = steps.of(pointer)
    if step is not VARYING:
        return abs(step.stride) < line
    cuts = (
        i
        for i in backward_slice([pointer], _in_iteration(loop))
        if i.opcode in ("and", "xor", "urem", "srem")
    )
    return any(not steps.is_invariant(o) for i in cuts for o in i.operands)


def _follows_data(pointer: Value, loop: Loop, shape: Divergence) -> bool:
    """Whether data decides where a work-item accesses memory in an iteration.

    The address depends on a varying value that the same iteration loads, or on a carried value that loads or
    comparisons change from iteration to iteration, such as the place in a text or in a sorted list, or the
    state of a cipher with tables.
    """
    parts = backward_slice([pointer], _in_iteration(loop))
    if any(i.info.reads and not shape.is_uniform(i) for i in parts):
        return True
    used = [pointer, *(o for i in parts for o in i.operands)]
    return any(_is_decided(phi, loop, shape) for phi in loop.header.phis() if phi in used)


def _is_decided(phi: Instruction, loop: Loop, shape: Divergence) -> bool:
    """Whether the next value of a carried one depends on data or a decision of its work-item."""

    def decides(i: Instruction) -> bool:
        merges = i.opcode == "phi" and i.block is not loop.header and len(i.operands) > 1
        return (merges or i.info.reads or i.opcode in ("select", "icmp", "fcmp")) and not shape.is_uniform(i)

    return any(map(decides, backward_slice([phi], lambda i: i.block in loop.blocks)))


def _is_divided(pointer: Value, shape: Divergence) -> bool:
    """Whether an address contains a quotient or a remainder that differs by work-item.

    After interchange it would be loaded from a context array, so its stride, linear for most work-items,
    would be lost.
    """

    def is_arithmetic(i: Instruction) -> bool:
        return i.opcode not in ("phi", "load", "call") and not shape.is_uniform(i)

    return any(i.opcode in ("udiv", "sdiv", "urem", "srem") for i in backward_slice([pointer], is_arithmetic))


def _in_iteration(loop: Loop) -> Callable[[Instruction], bool]:
    return lambda i: i.block in loop.blocks and i.opcode != "phi"


def _is_vectorizable(instruction: Instruction) -> bool:
    if instruction.opcode in ("atomicrmw", "cmpxchg", "fence") or instruction.attributes.get("volatile"):
        return False
    if instruction.opcode == "call":
        # Built-ins that take pointers (vload, fract, atomics …) may do anything with them.
        return not any(a.type.is_pointer for a in instruction.arguments)
    return instruction.opcode != "alloca"


def _uses_lane_columns(loop: Loop) -> bool:
    """Whether a loop accesses a private array that `private_arrays_by_lane` can lay out.

    After interchange the array would be live across regions. If the kernel has barriers, it may be in any
    case.
    """
    function = loop.header.parent
    pointers = (i.operands[-1] for i in loop.instructions() if i.opcode in ("load", "store"))
    arrays = dict.fromkeys(a for p in pointers if (a := base_of(p)) is not None)
    small = [
        a for a in arrays if isinstance(a, Instruction) and size_of(a.attributes["allocated"]) <= STACK_LIMIT
    ]
    if not small or any(is_barrier(i) for i in function.instructions()):
        return False
    return any(private_array(a) is not None for a in small)
