"""Emit calls of lane functions, which `lane_functions.py` defines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.analysis.memory_effects import base_of
from weft.ir import Argument, Instruction, Value
from weft.ir.types import I64, VOID, FunctionType, IntType, PointerType

from .access_forms import AccessForm
from .lane_by_lane import load_all, slot, store_all

if TYPE_CHECKING:
    from .widen import Widener

# Prefix of the names of functions for lanes; lanes, strides, mask and function follow.
LANES_OF = "weft.lanes."
VARYING = "v"
_PRIVATE = PointerType(0)


def lane_name(callee: str, width: int, strides: Sequence[int | None], masked: bool) -> str:
    """Return the name of a function for lanes; the stride is None for arguments passed in memory."""
    kinds = "_".join(VARYING if stride is None else str(stride) for stride in strides)
    return f"{LANES_OF}{width}.{kinds}.{'m' if masked else 'a'}.{callee}"


def lane_type(one: FunctionType, strides: Sequence[int | None], masked: bool) -> FunctionType:
    """Return the type of a function for lanes, given that of the function for one work-item."""
    types = [_PRIVATE if s is None else t for t, s in zip(one.parameters, strides, strict=True)]
    types += [I64] * masked + [_PRIVATE] * (one.result is not VOID)
    return FunctionType(VOID, tuple(types))


def is_copied(argument: Argument) -> bool:
    """Return whether a structure is passed by value."""
    return any(word.startswith("byval") for word in argument.attributes)


def has_separate_result(i: Instruction) -> bool:
    """Whether the result of a call goes to none of the structures that it passes by value.

    A function for lanes reads these structures in place.
    """
    callee = i.called_function
    assert callee is not None
    arguments = list(zip(callee.arguments, i.arguments, strict=True))
    copied = [base_of(value) for argument, value in arguments if is_copied(argument)]
    results = [base_of(v) for a, v in arguments if any(word.startswith("sret") for word in a.attributes)]
    return all(_are_disjoint(a, b) for a in copied for b in results)


def _are_disjoint(a: Value | None, b: Value | None) -> bool:
    """Return whether two objects are known to be different memory."""
    if a is None or b is None or a is b:
        return False
    return any(not isinstance(x, Argument) or "noalias" in x.attributes for x in (a, b))


def call_for_lanes(w: "Widener", i: Instruction, mask: Value | None) -> None:
    """Call a function of the program for all active lanes."""
    callee, function = i.called_function, w.b.block.parent
    assert callee is not None
    operands: list[Value] = []
    strides: list[int | None] = []
    for argument in i.arguments:
        shape = w.lanes.of(argument)
        if shape is not None and w.linear.vector(argument) is None:
            operands.append(w.scalar(argument))
            strides.append(shape.stride)
        else:
            value = w.vector(argument)
            operands.append(slot(function, value.type))
            strides.append(None)
            store_all(w.b, value, operands[-1])
    if mask is not None:
        operands.append(w.b.cast("zext", w.b.emit("bitcast", IntType(w.width), [mask]), I64))
    result = slot(function, w.wide(i.type)) if i.type is not VOID else None
    if result is not None:
        operands.append(result)
    name = lane_name(callee.name or "", w.width, strides, mask is not None)
    w.note(i, AccessForm.FUNCTION_FOR_LANES)
    w.b.call(w.module.declare(name, lane_type(callee.function_type, strides, mask is not None)), operands)
    if result is not None:
        w.define_vector(i, load_all(w.b, w.wide(i.type), result))
