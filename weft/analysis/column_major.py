"""Detect column-major accesses of a kernel: contiguous along y and strided along x.

    out[x * height + y] = in[y * width + x];          // a transposition: the store is column-major

Each work-item of a row touches a different cache line, and the rest of the line is needed by the next row. So
rows should be short, or run along y if no access is contiguous along x.
"""

from enum import Enum

from weft.ir import Function

from .id_evolution import ProbableStrides
from .shapes import Shapes

# Accesses this many bytes apart are likely to share a cache line.
NEAR = 32


class Major(Enum):
    """The dimension along which accesses that differ in x and y are contiguous, if any."""

    ROW = "x"
    COLUMN = "y"
    BOTH = "x or y"
    NONE = ""


def access_order(function: Function, shape: Shapes) -> Major:
    """Find out whether accesses are near along x and far apart along y, or the reverse."""
    strides = ProbableStrides(shape)
    orders = set()
    for i in function.instructions():
        if i.opcode in ("load", "store"):
            along_x, along_y, _ = strides.of(i.operands[-1])
            if _is_near(along_y) and _is_far(along_x):
                orders.add(Major.COLUMN)
            elif _is_near(along_x) and _is_far(along_y):
                orders.add(Major.ROW)
    return Major.BOTH if len(orders) > 1 else next(iter(orders), Major.NONE)


def _is_near(stride: int | None) -> bool:
    return stride is not None and 0 < abs(stride) <= NEAR


def _is_far(stride: int | None) -> bool:
    return stride is None or abs(stride) > NEAR
