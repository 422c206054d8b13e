"""Detect column-major accesses of a kernel: contiguous along y and strided along x.

    out[x * height + y] = in[y * width + x];          // the store is: a matrix is transposed

In a row of such work-items each touches a different cache line, the rest of which the next row needs. So rows
should be short.
"""

from weft.ir import Function

from .id_evolution import ProbableStrides
from .shapes import Shapes

# Data so many bytes apart is likely to lie in one cache line.
NEAR = 32


def has_column_major_access(function: Function, shape: Shapes) -> bool:
    """Whether some access is to neighbouring addresses along y, and far away along x."""
    strides = ProbableStrides(shape)
    for i in function.instructions():
        if i.opcode in ("load", "store"):
            along_x, along_y, _ = strides.of(i.operands[-1])
            if along_y is not None and 0 < abs(along_y) <= NEAR and (along_x is None or abs(along_x) > NEAR):
                return True
    return False
