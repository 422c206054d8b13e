"""LLVM intrinsics that work elementwise on vectors."""

from collections.abc import Callable

# Maps the name of the built-in that a kernel calls and a number of elements to the name of its vector form.
VectorForm = Callable[[str, int], str | None]

# Each with its immediate operands, which are not vectors. Names end with the type of the first operand.
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
# Operations of llvm.vector.reduce.* that may be done in any order.
FOLDS = ("add", "mul", "and", "or", "xor")
