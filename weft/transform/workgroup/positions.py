"""Expand work-item functions inside a work-group function.

Sizes, offsets and group ids are computed in the entry of the work-group function; local ids are the induction
variables of the work-item loops. Internally ids are 32 bits wide unless the NDRange is larger than that:

    %x.id = add nuw nsw i32 %x.base, %x, !weft.id_bits !{i32 29}     ; cannot wrap: the launch is checked
    %gid  = zext nneg i32 %x.id to i64

so that LLVM recognizes consecutive addresses through the common `int i = get_global_id(0)`. The metadata
gives `simd/drop_masks.py` the largest possible id.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from types import MappingProxyType
from typing import TypeVar, TypeVarTuple

from weft import abi
from weft.analysis.work_items import WorkItemFunction, work_item_function
from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, I64
from weft.ir.values import ConstantInt, const_int

AXES = "xyz"
# The names of ids in the work-group function, and in remarks.
_GLOBAL_IDS, _LOCAL_IDS = tuple(f"gid.{axis}" for axis in AXES), tuple(f"lid.{axis}" for axis in AXES)
ID_NAMES = (*_GLOBAL_IDS, *_LOCAL_IDS)
# The lowest number that is negative as an int.
_SIGN = 1 << 31
# The metadata of global ids that are not wide.
_ID_BITS = "weft.id_bits"
_BITS: dict[str | None, int] = {f"!{{i32 {bits}}}": bits for bits in abi.ID_BITS}


def id_bits(value: Instruction) -> int | None:
    """Return the number of bits of a global id; None for other values and wide ids."""
    return _BITS.get(value.metadata.get(_ID_BITS))


def group_range(size: int | None) -> tuple[str, ...]:
    """Return the range of group ids that are not wide: `(int)(group id * size + local id)` cannot wrap."""
    return (f"range(i64 0, {_SIGN // size})",) if size is not None else ()


_Arguments = TypeVarTuple("_Arguments")
_Emitter = TypeVar("_Emitter", bound="Emitting")


class Emitting:
    """Emits values; methods marked with `once` emit one when they are first called with some arguments."""

    def __init__(self) -> None:
        self.emitted: dict[tuple[object, ...], Value] = {}


def once(method: Callable[[_Emitter, *_Arguments], Value]) -> Callable[[_Emitter, *_Arguments], Value]:
    """Have a method return the same value if it is called again with the same arguments."""

    def emitted(self: _Emitter, *arguments: *_Arguments) -> Value:
        key = (method, *arguments)
        if key not in self.emitted:
            self.emitted[key] = method(self, *arguments)
        return self.emitted[key]

    return update_wrapper(emitted, method)


class GroupPositions(Emitting):
    """Values that all work-items of a group share, loaded at the entry of the work-group function."""

    def __init__(
        self,
        entry: Builder,
        launch: Value,
        groups: list[Value],
        extents: abi.Extents | None,
        id_bits: int,
        non_uniform: bool = False,
        jammed: tuple[int, int, int] = (1, 1, 1),
    ) -> None:
        """`extents` is what one call runs; None: a work-group of any size.

        `non_uniform`: work-groups are clipped at the end of the range. `jammed`: one iteration of the
        work-item loops runs so many work-items in each dimension.
        """
        super().__init__()
        self.entry = entry
        self.launch = launch
        self.groups = groups
        self.fixed_size: abi.Extents = extents or (None, None, None)
        self.jammed = jammed
        self._clipped = extents is not None
        self.id_bits = id_bits
        self.wide = id_bits > abi.INT_IDS
        self.non_uniform = non_uniform

    @once
    def field(self, name: str, offset: int, axis: int) -> Value:
        """Load one word of the launch structure."""
        address = self.entry.byte_offset(self.launch, offset + 8 * axis)
        return self.entry.load(I64, address, 8, f"{name}.{AXES[axis]}")

    def iterations(self, axis: int) -> int | None:
        """Return the number of iterations of a work-item loop, if it is known."""
        size = self.fixed_size[axis]
        return None if size is None else size // self.jammed[axis]

    @once
    def size32(self, axis: int) -> Value:
        """Return the number of iterations of a work-item loop, as an i32."""
        known = self.iterations(axis)
        return (
            const_int(I32, known) if known is not None else self.entry.cast("trunc", self.extent(axis), I32)
        )

    @once
    def extent(self, axis: int) -> Value:
        """Return the number of work-items: the local size, or the part of it inside the range."""
        if self.fixed_size[axis] is not None or not self._clipped:
            return self.size(axis)
        e, size = self.entry, self.size(axis)
        start = e.mul(self.groups[axis], size)
        left = e.binary("sub", self.field("global_size", abi.GLOBAL_SIZE, axis), start)
        return e.select(e.icmp("ult", size, left), size, left, f"extent.{AXES[axis]}")

    def items(self) -> Value:
        """Return the number of work-items of a group."""
        return self.entry.mul(self.entry.mul(self.extent(0), self.extent(1)), self.extent(2))

    def local_size(self, axis: int) -> Value:
        """Return the size of the group as seen by OpenCL C."""
        return self.extent(axis) if self.non_uniform else self.size(axis)

    def size(self, axis: int) -> Value:
        """Return the local size of the launch."""
        known = self.fixed_size[axis]
        if known is not None:
            return const_int(I64, known)
        return self.field("local_size", abi.LOCAL_SIZE, axis)

    @once
    def base(self, axis: int) -> Value:
        """Return the global id of the group's first work-item, in the width of ids."""
        e = self.entry
        start = e.mul(self.groups[axis], self.size(axis))
        start = e.add(start, self.field("offset", abi.GLOBAL_OFFSET, axis), f"base.{AXES[axis]}")
        return start if self.wide else e.cast("trunc", start, I32)

    @once
    def work_dim(self) -> Value:
        """Return the number of dimensions of the NDRange."""
        return self.entry.load(I32, self.entry.byte_offset(self.launch, abi.WORK_DIM), 4, "work_dim")

    def uniform(self, name: str, axis: int) -> Value:
        """Return the result of a work-item function that is the same for the whole group."""
        match name:
            case "get_group_id":
                return self.groups[axis]
            case "get_global_offset":
                return self.field("offset", abi.GLOBAL_OFFSET, axis)
            case "get_global_size":
                return self.field("global_size", abi.GLOBAL_SIZE, axis)
            case "get_num_groups":
                return self.field("num_groups", abi.NUM_GROUPS, axis)
            case "get_local_size":
                return self.local_size(axis)
            case "get_enqueued_local_size":
                return self.size(axis)
        raise KeyError(name)


class ItemPositions(Emitting):
    """Positions of the work-item that one iteration of a region's work-item loops runs.

    `counters` are the loops' counters (i32), a constant 0 where the local size is 1. Values are computed in
    `prologue`, at the start of the iteration, and cached for the whole iteration. With sub-groups, `known`
    has the results of their queries, and the local linear id, as 32-bit numbers.
    """

    def __init__(
        self,
        group: GroupPositions,
        prologue: Builder,
        counters: list[Value],
        order: Sequence[int] = (2, 1, 0),
        known: Mapping[str, Value] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.group = group
        self._known = known
        self._order = order
        self.prologue = prologue
        self.counters = counters

    def lower(self, call: Instruction, dimension: Value | None, place: Builder) -> Value:
        """Return the value of a call to a work-item function."""
        function = work_item_function(call)
        assert function is not None
        if function.name in self._known and function.name != "get_local_linear_id":
            return self._known[function.name]
        if not function.takes_dimension:
            return self.group.work_dim() if function.name == "get_work_dim" else self._linear(function.name)
        default = const_int(I64, function.default)
        if isinstance(dimension, ConstantInt):
            return self._axis(function, dimension.value) if dimension.value < 3 else default
        assert dimension is not None
        value: Value = default
        for axis in range(3):
            here = place.icmp("eq", dimension, const_int(I32, axis))
            value = place.select(here, self._axis(function, axis), value)
        return value

    @once
    def _axis(self, function: WorkItemFunction, axis: int) -> Value:
        if not function.varying:
            return self.group.uniform(function.name, axis)
        return self._local(axis) if function.name == "get_local_id" else self._global(axis)

    @once
    def _local(self, axis: int) -> Value:
        return self._widened(self.counters[axis], _LOCAL_IDS[axis])

    def _global(self, axis: int) -> Value:
        p, name = self.prologue, _GLOBAL_IDS[axis]
        if self.group.wide:
            return p.add(self.group.base(axis), self._counted(axis, self._local(axis)), name)
        narrow = p.add(self.group.base(axis), self._counted(axis, self.counters[axis]), name, ("nuw", "nsw"))
        assert isinstance(narrow, Instruction)
        narrow.metadata[_ID_BITS] = f"!{{i32 {self.group.id_bits}}}"
        return self._widened(narrow, name)

    def _counted(self, axis: int, iteration: Value) -> Value:
        """Return the distance of a work-item from the first of its group."""
        factor = const_int(iteration.type, self.group.jammed[axis])
        return self.prologue.mul(iteration, factor, flags=("nuw", "nsw"))

    def _widened(self, value: Value, name: str) -> Value:
        if isinstance(value, ConstantInt):
            return const_int(I64, value.value)
        return self.prologue.emit("zext", I64, [value], name, ("nneg",))

    @once
    def _linear(self, name: str) -> Value:
        """Return the result of get_local_linear_id or get_global_linear_id."""
        if name == "get_local_linear_id":
            return self.linear_index()
        p, g = self.prologue, self.group
        ids = [
            p.binary("sub", self._global(axis), g.field("offset", abi.GLOBAL_OFFSET, axis))
            for axis in range(3)
        ]
        width, height = (g.field("global_size", abi.GLOBAL_SIZE, axis) for axis in (0, 1))
        return p.add(p.mul(p.add(p.mul(ids[2], height), ids[1]), width), ids[0], "global.linear")

    @once
    def linear_index(self) -> Value:
        """Return the work-item's local linear id."""
        if "get_local_linear_id" in self._known:
            return self._widened(self._known["get_local_linear_id"], "item")
        return self._index((2, 1, 0), "item")

    @once
    def context_index(self) -> Value:
        """Return the index into context arrays, in which consecutively run work-items are adjacent."""
        if tuple(self._order) == (2, 1, 0):
            return self.linear_index()
        return self._index(self._order, "place")

    def _index(self, order: Sequence[int], name: str) -> Value:
        p, g = self.prologue, self.group
        outer, middle, inner = order
        # Not the local size: a tile at the end of the range is smaller, and so are its context arrays.
        rows = p.add(p.mul(self._local(outer), g.extent(middle)), self._local(middle))
        return p.add(p.mul(rows, g.extent(inner)), self._local(inner), name)
