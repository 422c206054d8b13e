"""Closures for instructions that compute values: arithmetic, comparisons, casts, vectors, aggregates.

A maker takes the code being compiled and an instruction, and returns the closure that executes it.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from weft.ir import Instruction
from weft.ir.types import FloatType, VectorType
from weft.ir.values import ConstantAggregate, ConstantInt, ConstantZero

from . import floating, scalar
from .access import ACCESS_MAKERS
from .poison import POISON, frozen, guarded, poison_of

if TYPE_CHECKING:
    from .code import Code, Frame, Op

Maker = Callable[["Code", Instruction], "Op"]


def elementwise(function: Callable[..., Any], target: int, operands: Sequence[int], vector: bool) -> "Op":
    """Return a closure that applies a scalar function to scalars or, lane by lane, to vectors."""
    if vector:
        return _vector_operation(function, target, operands)
    if len(operands) == 1:
        (a,) = operands

        def unary(frame: "Frame") -> None:
            try:
                frame[target] = function(frame[a])
            except TypeError:
                frame[target] = guarded(function, frame[a])

        return unary
    if len(operands) == 2:
        a, b = operands

        def binary(frame: "Frame") -> None:
            try:
                frame[target] = function(frame[a], frame[b])
            except TypeError:
                frame[target] = guarded(function, frame[a], frame[b])

        return binary

    def general(frame: "Frame") -> None:
        values = [frame[slot] for slot in operands]
        try:
            frame[target] = function(*values)
        except TypeError:
            frame[target] = guarded(function, *values)

    return general


def _vector_operation(function: Callable[..., Any], target: int, operands: Sequence[int]) -> "Op":
    if len(operands) == 2:
        a, b = operands

        def binary(frame: "Frame") -> None:
            try:
                frame[target] = tuple(map(function, frame[a], frame[b]))
            except TypeError:
                lanes = zip(frame[a], frame[b], strict=True)
                frame[target] = tuple([guarded(function, x, y) for x, y in lanes])

        return binary

    def general(frame: "Frame") -> None:
        vectors = [frame[slot] for slot in operands]
        try:
            frame[target] = tuple(map(function, *vectors))
        except TypeError:
            frame[target] = tuple([guarded(function, *lane) for lane in zip(*vectors, strict=True)])

    return general


def _apply(code: "Code", instruction: Instruction, function: Callable[..., Any]) -> "Op":
    slots = code.slots(instruction.operands)
    return elementwise(function, code.slot(instruction), slots, instruction.type.is_vector)


def _binary(code: "Code", instruction: Instruction) -> "Op":
    return _apply(code, instruction, scalar.binary(instruction, code.machine.trap_division))


def _compare(code: "Code", instruction: Instruction) -> "Op":
    return _apply(code, instruction, scalar.compare(instruction, code.machine.memory))


def _fneg(code: "Code", instruction: Instruction) -> "Op":
    type = instruction.type.scalar
    assert isinstance(type, FloatType)
    return _apply(code, instruction, floating.negate(type.kind))


def _cast(code: "Code", instruction: Instruction) -> "Op":
    source, target = instruction.operands[0].type, instruction.type
    if instruction.opcode == "bitcast" and scalar.lanes_of(source) != scalar.lanes_of(target):
        convert = scalar.reinterpret(source, target)
        operand, result = code.slot(instruction.operands[0]), code.slot(instruction)

        def reinterpret(frame: "Frame") -> None:
            frame[result] = convert(frame[operand])

        return reinterpret
    memory = code.machine.memory
    function = scalar.cast(instruction.opcode, source.scalar, target.scalar, instruction.flags, memory)
    return _apply(code, instruction, function)


def _select(code: "Code", instruction: Instruction) -> "Op":
    condition, a, b = code.slots(instruction.operands)
    target = code.slot(instruction)
    if instruction.operands[0].type.is_vector:

        def blend(frame: "Frame") -> None:
            lanes = zip(frame[condition], frame[a], frame[b], strict=True)
            frame[target] = tuple([POISON if c is POISON else x if c else y for c, x, y in lanes])

        return blend
    poison = poison_of(instruction.type)

    def select(frame: "Frame") -> None:
        chosen = frame[condition]
        frame[target] = poison if chosen is POISON else frame[a] if chosen else frame[b]

    return select


def _freeze(code: "Code", instruction: Instruction) -> "Op":
    operand, target, type = code.slot(instruction.operands[0]), code.slot(instruction), instruction.type

    def freeze(frame: "Frame") -> None:
        frame[target] = frozen(type, frame[operand])

    return freeze


# Vectors


def _extractelement(code: "Code", instruction: Instruction) -> "Op":
    vector, index = code.slots(instruction.operands)
    target = code.slot(instruction)

    def extract(frame: "Frame") -> None:
        at = frame[index]
        elements = frame[vector]
        frame[target] = elements[at] if at is not POISON and at < len(elements) else POISON

    return extract


def _insertelement(code: "Code", instruction: Instruction) -> "Op":
    vector, element, index = code.slots(instruction.operands)
    target = code.slot(instruction)
    poison = poison_of(instruction.type)

    def insert(frame: "Frame") -> None:
        at = frame[index]
        elements = frame[vector]
        if at is POISON or at >= len(elements):
            frame[target] = poison
        else:
            frame[target] = (*elements[:at], frame[element], *elements[at + 1 :])

    return insert


def _shufflevector(code: "Code", instruction: Instruction) -> "Op":
    first, second, mask = instruction.operands
    assert isinstance(mask.type, VectorType) and isinstance(first.type, VectorType)
    if isinstance(mask, ConstantZero):
        lanes = [0] * mask.type.count
    elif isinstance(mask, ConstantAggregate):
        lanes = [e.value if isinstance(e, ConstantInt) else -1 for e in mask.elements]
    else:
        lanes = [-1] * mask.type.count  # undef or poison: any lane is allowed; poison is the strictest choice
    a, b, target = code.slot(first), code.slot(second), code.slot(instruction)
    undefined = 2 * first.type.count
    picks = [undefined if lane < 0 else lane for lane in lanes]

    def shuffle(frame: "Frame") -> None:
        both = (*frame[a], *frame[b], POISON)
        frame[target] = tuple([both[pick] for pick in picks])

    return shuffle


# Aggregates


def _extractvalue(code: "Code", instruction: Instruction) -> "Op":
    operand, target = code.slot(instruction.operands[0]), code.slot(instruction)
    indices = instruction.attributes["indices"]

    def extract(frame: "Frame") -> None:
        value = frame[operand]
        for index in indices:
            value = value[index]
        frame[target] = value

    return extract


def _insertvalue(code: "Code", instruction: Instruction) -> "Op":
    aggregate, element = code.slots(instruction.operands)
    target = code.slot(instruction)
    indices = instruction.attributes["indices"]

    def insert(frame: "Frame") -> None:
        frame[target] = _replaced(frame[aggregate], indices, frame[element])

    return insert


def _replaced(aggregate: tuple[Any, ...], indices: Sequence[int], element: Any) -> tuple[Any, ...]:
    first, inner = indices[0], indices[1:]
    new = _replaced(aggregate[first], inner, element) if inner else element
    return (*aggregate[:first], new, *aggregate[first + 1 :])


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(scalar.BINARY, _binary),
    **dict.fromkeys(scalar.CASTS, _cast),
    "icmp": _compare,
    "fcmp": _compare,
    "fneg": _fneg,
    "select": _select,
    "freeze": _freeze,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    **ACCESS_MAKERS,
}
