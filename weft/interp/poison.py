"""The poison value.

Arithmetic on poison yields poison. Testing every operand would slow down every instruction, so POISON
supports no arithmetic: Python raises TypeError, which the instruction's closure catches, and only then are
the operands tested (`guarded`). Vectors and aggregates are always tuples, with poison in some or all of their
elements.
"""

from collections.abc import Callable
from typing import Any

from weft.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    struct_body,
)

from .errors import UndefinedBehaviour
from .memory import NULL


class _Poison:
    __slots__ = ()

    def __bool__(self) -> bool:
        raise UndefinedBehaviour("control flow depends on a poison value")

    def _refuse(self, other: object) -> bool:
        raise TypeError("poison has no value")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "poison"


POISON: Any = _Poison()


def guarded(function: Callable[..., Any], *operands: Any) -> Any:
    """Return `function(*operands)`, or poison if an operand is poison."""
    for operand in operands:
        if operand is POISON:
            return POISON
    return function(*operands)


def filled(type: Type, scalar: Callable[[Type], Any]) -> Any:
    """Return a value of `type` whose scalars are `scalar(scalar type)`."""
    match type:
        case VectorType() | ArrayType():
            return (filled(type.element, scalar),) * type.count
        case StructType() | NamedType():
            return tuple(filled(field, scalar) for field in struct_body(type).fields)
    return scalar(type)


def poison_of(type: Type) -> Any:
    """Return the poison value of a type."""
    return filled(type, lambda _: POISON)


def _zero_scalar(type: Type) -> Any:
    match type:
        case IntType():
            return 0
        case FloatType():
            return 0.0
        case PointerType():
            return (NULL, 0)
    raise TypeError(f"{type} has no zero")


def zero_of(type: Type) -> Any:
    """Return the zero of a type."""
    return filled(type, _zero_scalar)


def frozen(type: Type, value: Any) -> Any:
    """Return `value` with zero in place of poison, the interpreter's choice for `freeze`."""
    match type:
        case VectorType() | ArrayType():
            return tuple(frozen(type.element, v) for v in value)
        case StructType() | NamedType():
            return tuple(frozen(t, v) for t, v in zip(struct_body(type).fields, value, strict=True))
    return _zero_scalar(type) if value is POISON else value
