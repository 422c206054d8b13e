"""Whether the work-items of a kernel find neighbouring data above and below each other, not side by side.

    out[x * height + y] = in[y * width + x];          // the store does: a matrix is transposed

A row of such work-items touches a cache line each, of which the next row needs the rest. Whoever runs them
row after row should keep the rows short.
"""

from weft.ir import ConstantInt, Function

from .shapes import Shapes
from .work_items import work_item_function

# Data so many bytes apart is likely to lie in one cache line.
NEAR = 32


def walks_columns(function: Function, shape: Shapes) -> bool:
    """Whether some access is to neighbouring addresses along y, and far away along x."""
    for i in function.instructions():
        if i.opcode in ("load", "store"):
            along_x, along_y, _ = shape.of(i.operands[-1]).strides
            if along_y is not None and 0 < abs(along_y) <= NEAR and (along_x is None or abs(along_x) > NEAR):
                return True
    return False


def asks_for_y(function: Function) -> bool:
    """Whether a kernel may know more than one dimension."""
    for i in function.instructions():
        asked = work_item_function(i)
        if asked is not None and asked.name == "get_global_id":
            dimension = i.arguments[0]
            if not isinstance(dimension, ConstantInt) or dimension.value == 1:
                return True
    return False
