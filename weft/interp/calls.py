"""Closures for calls: of the module's functions, work-item functions, barriers, intrinsics and externals."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft.abi import SUB_GROUP_FUNCTIONS
from weft.ir import Function, Instruction
from weft.ir.address_spaces import SPACE_QUERIES
from weft.ir.types import VOID, IntType

from .errors import UnknownFunction, UnsupportedInstruction
from .group_functions import group_call, is_group_function
from .instructions import elementwise
from .intrinsics import intrinsic
from .poison import POISON
from .sub_group_functions import (
    MASK_FUNCTIONS,
    is_lane_reduction,
    is_sub_group_function,
    lane_reduction,
    sub_group_call,
)
from .workitem import FENCES, WORK_ITEM_FUNCTIONS, is_barrier, source_name

if TYPE_CHECKING:
    from .code import Code, Frame, Op, Suspension
    from .machine import Machine

# Output of printf is discarded: tests compare only memory.
_PRINTING = ("weft.printf", "weft_printf")
# The sub-groups of a work-group function run sequentially on one stack.
_OF_SUB_GROUPS = SUB_GROUP_FUNCTIONS

ITEM = 0  # the frame's slot of the work-item


def waits(symbol: str) -> bool:
    """Return whether work-items synchronize in a declared function."""
    return is_barrier(symbol) or is_group_function(symbol) or is_sub_group_function(symbol)


def is_suspending(machine: "Machine", instruction: Instruction) -> bool:
    """Return whether an instruction is a barrier or a call that can reach one."""
    callee = instruction.called_function
    if callee is None:
        return False
    if callee.is_declaration:
        return waits(callee.name or "")
    return machine.suspends(callee)


def suspending_call(code: "Code", instruction: Instruction) -> "Callable[[Frame], Suspension]":
    """Compile a barrier, or a call that can reach one, to a generator function."""
    callee = instruction.called_function
    assert callee is not None
    if callee.is_declaration and is_group_function(callee.name or ""):
        return group_call(code, instruction)
    if callee.is_declaration and is_sub_group_function(callee.name or ""):
        return sub_group_call(code, instruction)
    if callee.is_declaration:
        place = (instruction,)

        def barrier(frame: "Frame") -> "Suspension":
            yield place

        return barrier
    slots = code.slots(instruction.arguments)
    target = code.slot(instruction) if instruction.type is not VOID else None
    machine = code.machine
    notify = machine.observers.value

    def call_through(frame: "Frame") -> "Suspension":
        inner = machine.code(callee).suspend(frame[ITEM], [frame[slot] for slot in slots])
        while True:
            try:
                place = next(inner)
            except StopIteration as finished:
                if target is not None:
                    frame[target] = finished.value
                    if notify is not None:
                        notify(frame[ITEM], instruction, finished.value)
                return
            yield (instruction, *place) if place else place  # an empty place means waiting without a barrier

    return call_through


def call(code: "Code", instruction: Instruction) -> "Op":
    """Compile a call that does not reach a barrier."""
    callee = instruction.called_function
    if callee is None:
        return _failing(
            UnsupportedInstruction("calls of inline assembly or through pointers are not supported")
        )
    name = callee.name or ""
    if not callee.is_declaration:
        return _defined(code, instruction, callee)
    if name in code.machine.externals:
        return _external(code, instruction, code.machine.externals[name])
    if name.startswith("llvm."):
        try:
            op = intrinsic(code, instruction, name)
        except UnsupportedInstruction as error:
            return _failing(error)
        return op if op is not None else _failing(UnknownFunction(f"unknown intrinsic @{name}"))
    if is_lane_reduction(name):
        return lane_reduction(code, instruction)
    source = source_name(name)
    if source in WORK_ITEM_FUNCTIONS:
        return _work_item_function(code, instruction, WORK_ITEM_FUNCTIONS[source])
    if source in MASK_FUNCTIONS:
        return _mask_function(code, instruction, MASK_FUNCTIONS[source])
    if source in FENCES:
        return lambda frame: None  # work-items run one at a time, so memory is always consistent
    if name in SPACE_QUERIES:
        return _space_query(code, instruction, SPACE_QUERIES[name])
    if name in _PRINTING or name in _OF_SUB_GROUPS:
        return _external(code, instruction, lambda *values: 0)
    return _failing(UnknownFunction(f"the function @{name} is called but not defined"))


def _space_query(code: "Code", instruction: Instruction, space: int) -> "Op":
    """Compile a test whether a generic pointer points into an address space."""
    (pointer,), target = code.slots(instruction.arguments), code.slot(instruction)

    def run(frame: "Frame") -> None:
        value = frame[pointer]
        frame[target] = POISON if value is POISON else int(value[0].space == space)

    return run


def _failing(error: UnsupportedInstruction | UnknownFunction) -> "Op":
    """Compile a call that cannot be executed: it fails only if it is reached."""
    kind, message = type(error), error.message

    def fail(frame: "Frame") -> None:
        raise kind(message)

    return fail


def _defined(code: "Code", instruction: Instruction, callee: Function) -> "Op":
    slots = code.slots(instruction.arguments)
    machine = code.machine
    target = code.slot(instruction) if instruction.type is not VOID else 1  # a void result is never read

    def run(frame: "Frame") -> None:
        frame[target] = machine.code(callee).run(frame[ITEM], [frame[slot] for slot in slots])

    return run


def _external(code: "Code", instruction: Instruction, function: Callable[..., Any]) -> "Op":
    slots = code.slots(instruction.arguments)
    if instruction.type is VOID:

        def execute(frame: "Frame") -> None:
            function(*[frame[slot] for slot in slots])

        return execute
    target = code.slot(instruction)

    def evaluate(frame: "Frame") -> None:
        frame[target] = function(*[frame[slot] for slot in slots])

    return evaluate


def _mask_function(code: "Code", instruction: Instruction, function: Callable[..., Any]) -> "Op":
    slots, target = code.slots(instruction.arguments), code.slot(instruction)

    def run(frame: "Frame") -> None:
        frame[target] = function(frame[ITEM], *[frame[slot] for slot in slots])

    return run


def _work_item_function(code: "Code", instruction: Instruction, query: Callable[..., int]) -> "Op":
    assert isinstance(instruction.type, IntType)
    mask = (1 << instruction.type.bits) - 1

    def masked(*operands: Any) -> int:
        return query(*operands) & mask

    slots = [ITEM, *code.slots(instruction.arguments)]
    return elementwise(masked, code.slot(instruction), slots, vector=False)
