"""LLVM's intrinsics that do the same to each element of a vector, and how their names are spelled."""

from collections.abc import Callable

from weft.ir.types import PointerType, Type, VectorType

# The name of a built-in's form for a number of elements, from the name of the form that a kernel calls.
VectorForm = Callable[[str, int], str | None]

# With the operands that are not vectors but immediate.
LANEWISE: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        ("fmuladd", "fma", "fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round",
         "roundeven", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum", "copysign",
         "canonicalize",
         "ctpop", "bswap", "bitreverse", "umin", "umax", "smin", "smax", "uadd.sat", "sadd.sat", "usub.sat",
         "ssub.sat", "fshl", "fshr"),
        (),
    ),
    "ctlz": (1,), "cttz": (1,), "abs": (1,),
}  # fmt: skip
# llvm.vector.reduce.*: the operations that may be done in any order.
FOLDS = ("add", "mul", "and", "or", "xor")


def suffix(type: Type) -> str:
    """How LLVM spells a type in the name of an intrinsic."""
    if isinstance(type, VectorType):
        return f"v{type.count}{suffix(type.element)}"
    if isinstance(type, PointerType):
        return f"p{type.space}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(str(type), str(type))
