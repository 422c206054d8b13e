"""Barriers that some work-items of a group reach and others certainly do not.

    if (get_local_id(0) == 0)            // parts all groups with more than one work-item
        barrier(CLK_LOCAL_MEM_FENCE);

OpenCL leaves undefined what happens then. A branch is reported when

- its condition is an expression of one id and constants, of which the first work-items of a group, one by
  one, give different values: the number of work-items it takes is part of the finding;
- no barrier can be next on two of its paths (the end of the kernel counts as one).

What depends on anything else, a kernel argument for instance, may be legal and is not reported: that is
for the checking tools that watch a run. Global ids count as in the first group of an NDRange without offset.

Requires nothing: barriers need not be isolated. Complexity: LARGEST_GROUP evaluations for each branch on ids.
"""

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.values import ConstantInt

from .barrier_cfg import distinguishes_paths, next_stops
from .evaluation import Evaluation
from .group_functions import group_function
from .work_items import is_work_group_barrier, work_item_function

# Conditions that part only larger groups are left alone.
LARGEST_GROUP = 1024

# Instructions that a condition may consist of.
MAX_DEPTH = 12

_OPERATIONS = frozenset(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem"])


@dataclass(frozen=True)
class BarrierDivergence:
    """A branch that parts the work-items of a group before a barrier."""

    branch: Instruction
    barrier: Instruction  # one that some work-items wait at
    ends: bool  # whether other work-items return without waiting
    query: str  # the id that the branch depends on, as in OpenCL C
    items: int  # work-items, in that dimension, that it takes

    def message(self) -> str:
        """The finding in a sentence."""
        others = "return without it" if self.ends else "go another way"
        return (
            f"only some work-items of a group reach a barrier, by a condition on {self.query}; others "
            f"{others}: undefined for {self.items} or more work-items"
        )


def barrier_divergence(
    function: Function, size: tuple[int, int, int] | None = None
) -> tuple[BarrierDivergence, ...]:
    """Finds the branches of a kernel; `size`: the local size, if the kernel requires one."""
    reached = next_stops(function, _stop_in)
    findings = []
    for block in function.blocks:
        paths = [reached[s] for s in block.successors()]
        if len(paths) < 2 or not distinguishes_paths(paths):
            continue
        query = _query_in(block.terminator.operands[0])
        if query is None:
            continue
        items = _parted(block.terminator)
        if items is None or (size is not None and items > _extent(query, size)):
            continue
        stops = [s for path in paths for s in path if s.opcode == "call"]
        ends = any(s.opcode != "call" for path in paths for s in path)
        findings.append(BarrierDivergence(block.terminator, stops[0], ends, _spelled(query), items))
    return tuple(findings)


def _stop_in(block: Block) -> Instruction | None:
    """The first barrier or end of the kernel in a block."""
    return next((i for i in block.instructions if _is_stop(i)), None)


def _is_stop(instruction: Instruction) -> bool:
    if instruction.opcode == "ret" or is_work_group_barrier(instruction):
        return True
    return group_function(instruction.callee_name) is not None


# Conditions on one id


def _query_in(condition: Value) -> Instruction | None:
    """The one work-item function that a condition depends on, beside constants."""
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


def _parted(branch: Instruction) -> int | None:
    """How many work-items it takes until two of them take different paths."""
    first: object = None
    for number in range(LARGEST_GROUP):
        taken = _work_item(number).of(branch.operands[0])
        if taken is None:
            return None
        path = _target(branch, taken)
        first = path if number == 0 else first
        if path is not first:
            return number + 1
    return None


def _target(branch: Instruction, taken: int) -> Value:
    if branch.opcode == "br":
        return branch.operands[1 if taken else 2]
    for case, target in zip(branch.operands[2::2], branch.operands[3::2], strict=True):
        if isinstance(case, ConstantInt) and case.value == taken:
            return target
    return branch.operands[1]


def _work_item(number: int) -> Evaluation:
    """Evaluates for one work-item."""
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
