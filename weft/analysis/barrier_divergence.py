"""Find barriers that some work-items of a group reach and others certainly do not.

    if (get_local_id(0) == 0)            // diverges in all groups with more than one work-item
        barrier(CLK_LOCAL_MEM_FENCE);

The behaviour is then undefined in OpenCL. A branch is reported if

- its condition depends only on one id and constants, and evaluates differently for work-items 0, 1, …; the
  finding has the number of work-items at which this first happens;
- no barrier can be next on two of its paths (the end of the kernel counts as one).

Conditions that depend on anything else, such as a kernel argument, may be legal and are not reported; dynamic
checkers find them. Global ids are those of the first group of an NDRange without offset.

Requires nothing: barriers need not be isolated. Complexity: LARGEST_GROUP evaluations for each branch on ids.
"""

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.values import ConstantInt

from .barrier_cfg import distinguishes_paths, next_stops
from .evaluation import Evaluation
from .group_functions import group_function
from .work_items import is_work_group_barrier, work_item_function

# Conditions that diverge only in larger groups are not reported.
LARGEST_GROUP = 1024

# The most instructions of a condition.
MAX_DEPTH = 12

_OPERATIONS = frozenset(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem"])


@dataclass(frozen=True)
class BarrierDivergence:
    """A branch by which the work-items of a group diverge before a barrier."""

    branch: Instruction
    barrier: Instruction  # one at which some work-items wait
    ends: bool  # whether other work-items return without waiting
    query: str  # the id that the branch depends on, as in OpenCL C
    items: int  # the fewest work-items in that dimension that diverge

    def message(self) -> str:
        """Return the finding as a sentence."""
        others = "return without it" if self.ends else "go another way"
        return (
            f"only some work-items of a group reach a barrier, by a condition on {self.query}; others "
            f"{others}: undefined for {self.items} or more work-items"
        )


def barrier_divergence(
    function: Function, size: tuple[int, int, int] | None
) -> tuple[BarrierDivergence, ...]:
    """Find such branches of a kernel; `size` is its required local size, if any."""
    reached = next_stops(function, _stop_in)
    findings = []
    for block in function.blocks:
        paths = [reached[s] for s in block.successors()]
        if len(paths) < 2 or not distinguishes_paths(paths):
            continue
        query = _query_in(block.terminator.operands[0])
        if query is None:
            continue
        items = _divergent_items(block.terminator)
        if items is None or (size is not None and items > _extent(query, size)):
            continue
        stops = [s for path in paths for s in path if s.opcode == "call"]
        ends = any(s.opcode != "call" for path in paths for s in path)
        findings.append(BarrierDivergence(block.terminator, stops[0], ends, _spelled(query), items))
    return tuple(findings)


def _stop_in(block: Block) -> Instruction | None:
    """Return the first barrier or return in a block."""
    return next((i for i in block.instructions if _is_stop(i)), None)


def _is_stop(instruction: Instruction) -> bool:
    if instruction.opcode == "ret" or is_work_group_barrier(instruction):
        return True
    return group_function(instruction.callee_name) is not None


# Conditions on one id


def _query_in(condition: Value) -> Instruction | None:
    """Return the only work-item function that a condition depends on, or None."""
    query: dict[tuple[str, int | None], Instruction] = {}
    seen: set[Value] = set()
    stack = [condition]
    while stack:
        value = stack.pop()
        if isinstance(value, ConstantInt) or value in seen:
            continue
        seen.add(value)
        if not isinstance(value, Instruction) or len(seen) > MAX_DEPTH:
            return None
        function = work_item_function(value)
        if function is not None:
            if not function.varying or not all(isinstance(a, ConstantInt) for a in value.arguments):
                return None
            query[function.name, _dimension(value)] = value
        elif value.opcode in _OPERATIONS or value.opcode in (
            "icmp",
            "zext",
            "sext",
            "trunc",
            "select",
            "freeze",
        ):
            stack += value.operands
        else:
            return None
    return next(iter(query.values())) if len(query) == 1 else None


def _divergent_items(branch: Instruction) -> int | None:
    """Return the smallest number of work-items that take different paths."""
    first: object = None
    for item in range(LARGEST_GROUP):
        taken = _work_item(item).of(branch.operands[0])
        if taken is None:
            return None
        path = _target(branch, taken)
        first = path if item == 0 else first
        if path is not first:
            return item + 1
    return None


def _target(branch: Instruction, taken: int) -> Value:
    if branch.opcode == "br":
        return branch.operands[1 if taken else 2]
    for case, target in zip(branch.operands[2::2], branch.operands[3::2], strict=True):
        if isinstance(case, ConstantInt) and case.value == taken:
            return target
    return branch.operands[1]


def _work_item(number: int) -> Evaluation:
    """Return an evaluation in which every id is `number`."""
    return Evaluation(
        lambda value: number if isinstance(value, Instruction) and work_item_function(value) else None
    )


def _dimension(call: Instruction) -> int | None:
    dimension = call.arguments[0] if call.arguments else None
    return dimension.value if isinstance(dimension, ConstantInt) else None


def _spelled(call: Instruction) -> str:
    function, dimension = work_item_function(call), _dimension(call)
    assert function is not None
    return f"{function.name}({dimension if dimension is not None else ''})"


def _extent(call: Instruction, size: tuple[int, int, int]) -> int:
    dimension = _dimension(call)
    if dimension is None:
        return size[0] * size[1] * size[2]
    return size[dimension] if dimension < 3 else 1
