"""OpenCL C types in the rewriter: scalar types and the names of their vectors."""

from weft.dataclasses import dataclass

# Scalar types with vectors, and their sizes. `bool` has none: its vectors are `int` with 0 and 1.
SIZES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
    "half": 2, "float": 4, "double": 8,
}  # fmt: skip
FLOATS = frozenset(("half", "float", "double"))
INTEGERS = frozenset(SIZES) - FLOATS
_MASKS = {1: "char", 2: "short", 4: "int", 8: "long"}
# Names of vector components.
COMPONENTS = "0123456789abcdef"


@dataclass(frozen=True)
class SourceType:
    """A type: `kind` is scalar, bool, vector, pointer, array, record or other.

    `element` is the scalar of a scalar, vector, or the pointee or element of a pointer or array if that is a
    scalar. `space` is the address space of the pointee. `spelling` declares a private variable of the type.
    """

    kind: str
    element: str = ""
    space: int = 0
    spelling: str = ""
    count: int = 0
    is_volatile: bool = False
    is_restrict: bool = False

    @property
    def lane(self) -> str:
        """The element type of the vector that holds a value of this type per lane; empty if there is none."""
        if self.kind == "bool":
            return "int"
        return self.element if self.kind == "scalar" else ""


def mask_type(element: str) -> str:
    """Return the integer type whose vectors are masks for vectors of `element`."""
    return _MASKS[SIZES[element]]
