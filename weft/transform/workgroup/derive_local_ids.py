"""Derive local and group ids from global ids, so that a call may run work-items of many groups.

    %l = call i64 @_Z12get_local_idj(i32 0)          %g = call i64 @_Z13get_global_idj(i32 0)
                                                     %l = urem i64 %g, 7        ; the local size is 7

The usual computation of a global id from group and local ids is recognized and replaced, so that LLVM still
sees consecutive accesses.

One call can then run work-items of several groups (see `docs/kernel-compiler.md`, *Tiles*): whatever range of
global ids it covers, each work-item computes the ids of its own work-group. The caller must ensure that the
kernel has no barriers, local memory or work-group functions, and that the launch has no global offset. The
pocl paper has no such step.

Refuses nothing. Linear.
"""

from weft.analysis.work_items import GROUP_QUERIES, work_item_function
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, I64
from weft.ir.values import ConstantInt, const_int


def derive_local_ids(kernel: Function, local_size: tuple[int, int, int]) -> None:
    """Replace every query about work-groups of `local_size` by arithmetic on global ids."""
    _recognise_global_ids(kernel, local_size)
    for block in kernel.blocks:
        for call in list(block.instructions):
            function = work_item_function(call)
            if function is None or function.name not in GROUP_QUERIES:
                continue
            lowering = _Lowering(kernel, Builder(block, call), local_size)
            dimension = call.arguments[0] if function.takes_dimension else None
            value = lowering.of(function.name, dimension)
            call.replace_all_uses_with(value)
            call.erase()


def _recognise_global_ids(kernel: Function, local_size: tuple[int, int, int]) -> None:
    """Replace `group id * local size + local id` by the global id; later passes would not recognize it."""
    for block in kernel.blocks:
        for i in list(block.instructions):
            axis = _global_axis(i, local_size)
            if axis is not None:
                b = Builder(block, i)
                position = _Lowering(kernel, b, local_size).global_id(axis)
                i.replace_all_uses_with(b.cast("trunc", position, i.type))
                i.erase()


def _global_axis(i: Instruction, local_size: tuple[int, int, int]) -> int | None:
    """Return the dimension whose global id an instruction computes from group and local ids, or None."""
    if i.opcode != "add" or i.type not in (I32, I64):
        return None
    left, right = i.operands
    for start, local in ((left, right), (right, left)):
        axis = _dimension_of(local, "get_local_id")
        if axis is not None and _is_start(start, axis, local_size[axis]):
            return axis
    return None


def _is_start(value: Value, axis: int, size: int) -> bool:
    """Whether a value is the global id of a group's first work-item."""
    if size == 1 and _dimension_of(value, "get_group_id") == axis:
        return True
    if not isinstance(value, Instruction) or value.opcode not in ("mul", "shl"):
        return False
    left, right = value.operands
    if value.opcode == "shl":
        shift = right.value if isinstance(right, ConstantInt) else -1
        return _dimension_of(left, "get_group_id") == axis and shift >= 0 and 1 << shift == size
    for group, factor in ((left, right), (right, left)):
        is_size = isinstance(factor, ConstantInt) and factor.value == size
        is_size = is_size or _dimension_of(factor, "get_local_size") == axis
        if is_size and _dimension_of(group, "get_group_id") == axis:
            return True
    return False


def _dimension_of(value: Value, name: str) -> int | None:
    """Return the dimension of the query that a value, or its source before a `trunc`, is the result of."""
    if isinstance(value, Instruction) and value.opcode == "trunc":
        value = value.operands[0]
    function = work_item_function(value) if isinstance(value, Instruction) else None
    if function is None or function.name != name:
        return None
    assert isinstance(value, Instruction)
    dimension = value.arguments[0]
    return dimension.value if isinstance(dimension, ConstantInt) and dimension.value < 3 else None


class _Lowering:
    """Emits the code that replaces one query."""

    def __init__(self, kernel: Function, b: Builder, local_size: tuple[int, int, int]) -> None:
        self._kernel, self._b, self._size = kernel, b, local_size

    def of(self, name: str, dimension: Value | None) -> Value:
        if dimension is None:
            return self._linear()
        size = self._size_in(dimension)
        if name in ("get_local_size", "get_enqueued_local_size"):
            return size
        alone = isinstance(size, ConstantInt) and size.value == 1
        if name == "get_local_id" and alone:
            return const_int(I64, 0)
        whole = self._call("get_global_size" if name == "get_num_groups" else "get_global_id", dimension)
        if alone:
            return whole
        return self._b.binary("urem" if name == "get_local_id" else "udiv", whole, size)

    def global_id(self, axis: int) -> Value:
        return self._call("get_global_id", const_int(I32, axis))

    def _linear(self) -> Value:
        index: Value = const_int(I64, 0)
        for axis in (2, 1, 0):
            row = self._b.mul(index, const_int(I64, self._size[axis]))
            index = self._b.add(row, self.of("get_local_id", const_int(I32, axis)))
        return index

    def _size_in(self, dimension: Value) -> Value:
        """Return the local size in a dimension; 1 in dimensions that do not exist."""
        if isinstance(dimension, ConstantInt):
            return const_int(I64, self._size[dimension.value] if dimension.value < 3 else 1)
        value: Value = const_int(I64, 1)
        for axis, size in enumerate(self._size):
            if size != 1:
                here = self._b.icmp("eq", dimension, const_int(I32, axis))
                value = self._b.select(here, const_int(I64, size), value)
        return value

    def _call(self, name: str, dimension: Value) -> Instruction:
        return self._b.call_symbol(f"_Z{len(name)}{name}j", I64, [dimension])
