"""Detect column-major accesses of a kernel: contiguous along y and strided along x.

    out[x * height + y] = in[y * width + x];          // a transposition: the store is column-major
    write_imagef(out, (int2)(y, x), colour);          // so is this access of an image

Each work-item of a row touches a different cache line, and the rest of the line is needed by the next row. So
rows should be short, or run along y if no access is contiguous along x.
"""

from enum import Enum

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.types import VectorType
from weft.ir.values import Constant, ConstantAggregate

from .id_evolution import ProbableStrides
from .memory_effects import is_image_access
from .shapes import Shapes

# Accesses this many bytes apart are likely to share a cache line.
NEAR = 32
# Most pixels have four bytes.
PIXEL_BYTES = 4


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
        elif i.opcode == "call" and is_image_access(i):
            orders |= _image_order(i, strides)
    return Major.BOTH if len(orders) > 1 else next(iter(orders), Major.NONE)


def _is_near(stride: int | None) -> bool:
    return stride is not None and 0 < abs(stride) <= NEAR


def _is_far(stride: int | None) -> bool:
    return stride is None or abs(stride) > NEAR


def _image_order(call: Instruction, strides: ProbableStrides) -> set[Major]:
    """Return the order of an access of an image whose coordinates are known multiples of ids."""
    coordinates = next((a for a in call.arguments if a.type.is_vector), None)
    columns, rows = (_element(coordinates, n) for n in (0, 1))
    if columns is None or rows is None:
        return set()
    of_columns, of_rows = strides.of(columns), strides.of(rows)
    orders = set()
    for axis, major in ((0, Major.ROW), (1, Major.COLUMN)):
        pixels, far = of_columns[axis], of_rows[1 - axis]
        if pixels is not None and _is_near(pixels * PIXEL_BYTES) and of_rows[axis] == 0 and far:
            orders.add(major)
    return orders


def _element(vector: Value | None, n: int) -> Value | None:
    """Return the scalar that an element of a vector is, but for an added constant; None if unknown."""
    while isinstance(vector, Instruction):
        if vector.opcode == "insertelement":
            vector, scalar, at = vector.operands
            if not isinstance(at, ConstantInt):
                return None
            if at.value == n:
                return scalar
        elif vector.opcode == "shufflevector":
            first, second, mask = vector.operands
            assert isinstance(first.type, VectorType)
            named = mask.elements[n] if isinstance(mask, ConstantAggregate) else None
            if not isinstance(named, ConstantInt):
                return None
            of_second = named.value - first.type.count
            vector, n = (first, named.value) if of_second < 0 else (second, of_second)
        elif vector.opcode == "add" and isinstance(vector.operands[1], Constant):
            vector = vector.operands[0]
        else:
            return None
    return None
