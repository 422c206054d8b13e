"""The forms of a kernel that passes require and establish, each with a check.

A form is a property of one function. `problem` describes the first violation, or returns None. Passes declare
the forms that they require and establish (`weft/compiler/passes.py`); with WEFT_VERIFY=1 the pipeline checks
them around every pass.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.ir import Block, Function, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import LOCAL
from weft.ir.graph import reachable
from weft.ir.loops import loop_forest
from weft.ir.types import address_space
from weft.ir.values import ConstantAggregate, ConstantExpression

from .barrier_cfg import is_barrier_block
from .group_functions import group_function
from .work_items import is_barrier, work_item_function


@dataclass(frozen=True)
class Form:
    """A form: its name, its meaning, and a function that describes the first violation."""

    name: str
    meaning: str
    problem: Callable[[Function], str | None]


class FormError(WeftError):
    """A function is not in a form that a pass or an analysis requires, or that a pass promised."""


def check(forms: Iterable[Form], function: Function, claim: str) -> None:
    """Raise FormError, starting with `claim`, unless the function is in all the forms."""
    for form in forms:
        problem = form.problem(function)
        if problem is not None:
            raise FormError(f"{claim} {form.name} ({form.meaning}), but in @{function.name} {problem}")


def mentions_local_variable(value: Value) -> bool:
    """Whether a value is an automatic local variable, or a constant that contains the address of one."""
    return any(
        isinstance(at, GlobalVariable) and address_space(at.type) == LOCAL
        for at in reachable([value], _parts)
    )


def _parts(value: Value) -> Sequence[Value]:
    if isinstance(value, ConstantAggregate):
        return value.elements
    return value.operands if isinstance(value, ConstantExpression) else ()


def _lcssa(function: Function) -> str | None:
    forest = loop_forest(function)
    for loop in forest.loops:
        for block in loop.blocks:
            for value in block.instructions:
                for place in _uses(value):
                    if place not in loop:
                        return f"%{value.name} of the loop %{loop.header.name} is used in %{place.name}"
    return None


def _uses(value: Instruction) -> Iterator[Block]:
    """Yield the blocks in which a value must be available; for a phi, the incoming block."""
    for user in value.users:
        assert user.block is not None
        if user.opcode == "phi":
            yield from (source for incoming, source in user.incoming() if incoming is value)
        else:
            yield user.block


def _lowered_group_functions(function: Function) -> str | None:
    for instruction in function.instructions():
        if group_function(instruction.callee_name) is not None:
            return f"%{instruction.parent.name} calls @{instruction.callee_name}"
    return None


def _isolated_barriers(function: Function) -> str | None:
    for block in function.blocks:
        barriers = [i for i, instruction in enumerate(block.instructions) if is_barrier(instruction)]
        if not barriers:
            continue
        if barriers != [0] or len(block.instructions) != 2:
            return f"%{block.name} holds more than a barrier and a terminator"
        for successor in block.successors():
            if successor.phis() or successor.predecessors() != [block]:
                return f"%{successor.name} after the barrier in %{block.name} has other predecessors"
    return None


def _locals_as_arguments(function: Function) -> str | None:
    for instruction in function.instructions():
        if any(mentions_local_variable(o) for o in instruction.operands):
            return f"an automatic local variable is used in %{instruction.parent.name}"
    return None


def _implicit_barriers(function: Function) -> str | None:
    if not is_barrier_block(function.entry):
        return f"the entry %{function.entry.name} is not a barrier"
    for block in function.blocks:
        if block.terminator.opcode == "ret" and not is_barrier_block(block):
            return f"the exit %{block.name} is not a barrier"
    return None


def _whole_group(function: Function) -> str | None:
    for instruction in function.instructions():
        if is_barrier(instruction) or work_item_function(instruction) is not None:
            return f"%{instruction.parent.name} still queries one work-item's place"
    return None


LCSSA = Form("lcssa", "live-out values of a loop pass through a phi at its exit", _lcssa)
LOWERED_GROUP_FUNCTIONS = Form(
    "lowered-group-functions",
    "no work-group function is called",
    _lowered_group_functions,
)
ISOLATED_BARRIERS = Form(
    "isolated-barriers",
    "a barrier is alone in its block, and its successors have no other predecessor",
    _isolated_barriers,
)
LOCALS_AS_ARGUMENTS = Form(
    "locals-as-arguments", "automatic local variables are parameters", _locals_as_arguments
)
IMPLICIT_BARRIERS = Form(
    "implicit-barriers", "the entry and every exit start with a barrier", _implicit_barriers
)
WHOLE_GROUP = Form(
    "whole-group", "the function runs a work-group: no barriers, no work-item functions", _whole_group
)
