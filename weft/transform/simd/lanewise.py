"""LLVM intrinsics that work elementwise on vectors."""

from collections.abc import Callable

# The name of a built-in's form for a number of elements, from the name of the form that a kernel calls.
VectorForm = Callable[[str, int], str | None]

# With the operands that are not vectors but immediate. Their names end with the type of the first operand.
LANEWISE: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        ("fmuladd", "fma", "fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round",
         "roundeven", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum", "copysign",
         "canonicalize",
         "ctpop", "bswap", "bitreverse", "umin", "umax", "smin", "smax", "uadd.sat", "sadd.sat", "usub.sat",
         "ssub.sat", "fshl", "fshr"),
        (),
    ),
    "ctlz": (1,), "cttz": (1,), "abs": (1,), "is.fpclass": (1,),
}  # fmt: skip
# llvm.vector.reduce.*: the operations that may be done in any order.
FOLDS = ("add", "mul", "and", "or", "xor")
