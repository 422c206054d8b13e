"""Detect column-major accesses of a kernel: contiguous along y and strided along x.

    out[x * height + y] = in[y * width + x];          // the store is: a matrix is transposed

In a row of such work-items each touches a different cache line, the rest of which the next row needs. So rows
should be short, or lie along y where no access suits rows along x.
"""

from enum import Enum

from weft.ir import Function

from .id_evolution import ProbableStrides
from .shapes import Shapes

# Data so many bytes apart is likely to lie in one cache line.
NEAR = 32


class Major(Enum):
    """The dimension along which accesses that differ in x and y are contiguous, if there are any."""

    ROW = "x"
    COLUMN = "y"
    BOTH = "x or y"
    NONE = ""


def access_order(function: Function, shape: Shapes) -> Major:
    """Whether accesses are to neighbouring addresses along x and far away along y, or the reverse."""
    strides = ProbableStrides(shape)
    found = set()
    for i in function.instructions():
        if i.opcode in ("load", "store"):
            along_x, along_y, _ = strides.of(i.operands[-1])
            if _is_near(along_y) and _is_far(along_x):
                found.add(Major.COLUMN)
            elif _is_near(along_x) and _is_far(along_y):
                found.add(Major.ROW)
    return Major.BOTH if len(found) > 1 else next(iter(found), Major.NONE)


def _is_near(stride: int | None) -> bool:
    return stride is not None and 0 < abs(stride) <= NEAR


def _is_far(stride: int | None) -> bool:
    return stride is None or abs(stride) > NEAR
