"""The operations by which reductions and scans combine values: scalars, or vectors element by element.

Their names are `add`, `mul`, `and`, `or`, `xor`, for floats `min` and `max`, and for integers `smin`, `smax`,
`umin` and `umax`. `logical_and`, `logical_or` and `logical_xor` combine integers that are 0 or 1.
"""

from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.types import I1, FloatType, IntType, Type, VectorType, intrinsic_suffix
from weft.ir.values import Constant, ConstantFloat, const_int


def combined(b: Builder, operation: str, left: Value, right: Value) -> Value:
    """Combine two values; `right` is that of a later work-item."""
    type, name = left.type, operation.removeprefix("logical_")
    number = isinstance(type.scalar, FloatType)
    if name in ("add", "mul"):
        return b.binary(f"f{name}" if number else name, left, right)
    if name in ("and", "or", "xor"):
        return b.binary(name, left, right)
    if number:
        # OpenCL C's min and max, whose result for NaN is undefined, rather than fmin and fmax.
        test = VectorType(I1, type.count) if isinstance(type, VectorType) else I1
        predicate = "olt" if name == "min" else "ogt"
        return b.select(b.emit("fcmp", test, [right, left], predicate=predicate), right, left)
    return b.call_symbol(f"llvm.{name}.{intrinsic_suffix(type)}", type, [left, right])


def identity(operation: str, type: Type) -> Constant:
    """Return the result of an exclusive scan for the first work-item."""
    if isinstance(type, FloatType):
        numbers = {"add": 0.0, "mul": 1.0, "min": float("inf"), "max": float("-inf")}
        return ConstantFloat.of(type, numbers[operation])
    assert isinstance(type, IntType)
    lowest = 1 << (type.bits - 1)
    known = {"mul": 1, "logical_and": 1, "and": -1, "umin": -1, "smin": lowest - 1, "smax": lowest}
    return const_int(type, known.get(operation, 0))
