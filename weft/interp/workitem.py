"""Work-items, work-groups and NDRanges, and the work-item functions."""

from collections.abc import Callable
from math import prod
from typing import Any

from weft.dataclasses import dataclass, field
from weft.ir import GlobalVariable
from weft.lazy_pattern import lazy_pattern

from .memory import Allocation

Triple = tuple[int, int, int]
DEFAULT_SUB_GROUP_SIZE = 16


@dataclass(frozen=True)
class NDRange:
    """The index space of a launch; in dimensions beyond `work_dim`, sizes are 1 and offsets 0."""

    work_dim: int
    global_size: Triple
    local_size: Triple
    global_offset: Triple = (0, 0, 0)
    sub_group_size: int = DEFAULT_SUB_GROUP_SIZE

    @property
    def num_groups(self) -> Triple:
        """The number of work-groups in each dimension."""
        x, y, z = (-(-g // s) for g, s in zip(self.global_size, self.local_size, strict=True))
        return x, y, z


@dataclass(eq=False)
class Group:
    """A work-group, with its automatic local variables and the data that its work-items exchange."""

    ndrange: NDRange
    id: Triple
    locals: dict[GlobalVariable, Allocation] = field(default_factory=dict)
    exchange: dict[int, Any] = field(default_factory=dict)
    # Data that the work-items of each sub-group exchange, by sub-group local id.
    sub_exchange: dict[int, dict[int, Any]] = field(default_factory=dict)

    @property
    def size(self) -> Triple:
        """The number of work-items in each dimension; smaller at the end of the range."""
        n = self.ndrange
        x, y, z = (
            min(size, whole - place * size)
            for place, size, whole in zip(self.id, n.local_size, n.global_size, strict=True)
        )
        return x, y, z


class WorkItem:
    """A work-item."""

    __slots__ = ("global_id", "group", "local_id")

    def __init__(self, group: Group, local_id: Triple) -> None:
        self.group = group
        self.local_id = local_id
        n = group.ndrange
        (gx, gy, gz), (sx, sy, sz), (ox, oy, oz) = group.id, n.local_size, n.global_offset
        x, y, z = local_id
        self.global_id = (gx * sx + x + ox, gy * sy + y + oy, gz * sz + z + oz)

    def __repr__(self) -> str:
        return f"<work-item {self.global_id}>"


def _dimension_query(get: Callable[[WorkItem], Triple], outside: int) -> Callable[..., int]:
    def query(item: WorkItem, dimension: int) -> int:
        return get(item)[dimension] if dimension < 3 else outside

    return query


def _global_linear_id(item: WorkItem) -> int:
    n = item.group.ndrange
    x, y, z = (i - o for i, o in zip(item.global_id, n.global_offset, strict=True))
    return (z * n.global_size[1] + y) * n.global_size[0] + x


def local_linear_id(item: WorkItem) -> int:
    """Return the local linear id of a work-item."""
    (x, y, z), size = item.local_id, item.group.size
    return (z * size[1] + y) * size[0] + x


def sub_group_of(item: WorkItem) -> tuple[int, int]:
    """Return the sub-group id and the sub-group local id of a work-item; sub-groups are in local linear
    order."""
    return divmod(local_linear_id(item), item.group.ndrange.sub_group_size)


def _sub_groups(item: WorkItem, sizes: Triple) -> int:
    return -(-prod(sizes) // item.group.ndrange.sub_group_size)


def largest_sub_group(item: WorkItem) -> int:
    """Return the size of the largest sub-group of the launch, which is the first one."""
    return min(item.group.ndrange.sub_group_size, prod(item.group.ndrange.local_size))


def _sub_group_size(item: WorkItem) -> int:
    size = item.group.ndrange.sub_group_size
    return min(size, prod(item.group.size) - sub_group_of(item)[0] * size)


# OpenCL C 6.15.1, including the results for a dimension that does not exist.
WORK_ITEM_FUNCTIONS: dict[str, Callable[..., int]] = {
    "get_work_dim": lambda item: item.group.ndrange.work_dim,
    "get_global_size": _dimension_query(lambda item: item.group.ndrange.global_size, 1),
    "get_global_id": _dimension_query(lambda item: item.global_id, 0),
    "get_local_size": _dimension_query(lambda item: item.group.size, 1),
    "get_enqueued_local_size": _dimension_query(lambda item: item.group.ndrange.local_size, 1),
    "get_local_id": _dimension_query(lambda item: item.local_id, 0),
    "get_num_groups": _dimension_query(lambda item: item.group.ndrange.num_groups, 1),
    "get_group_id": _dimension_query(lambda item: item.group.id, 0),
    "get_global_offset": _dimension_query(lambda item: item.group.ndrange.global_offset, 0),
    "get_global_linear_id": _global_linear_id,
    "get_local_linear_id": local_linear_id,
    "get_sub_group_size": _sub_group_size,
    "get_max_sub_group_size": largest_sub_group,
    "get_num_sub_groups": lambda item: _sub_groups(item, item.group.size),
    "get_enqueued_num_sub_groups": lambda item: _sub_groups(item, item.group.ndrange.local_size),
    "get_sub_group_id": lambda item: sub_group_of(item)[0],
    "get_sub_group_local_id": lambda item: sub_group_of(item)[1],
}
# `weft.barrier` is a barrier that the compiler inserts.
BARRIERS = frozenset(("barrier", "work_group_barrier", "weft.barrier"))
SUB_GROUP_BARRIERS = frozenset(("sub_group_barrier", "weft.sub_group_barrier"))
FENCES = frozenset(("mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence"))

_MANGLED = lazy_pattern(r"_Z(\d+)")


def source_name(symbol: str) -> str:
    """Return the name of a function in OpenCL C: `get_global_id` for `_Z13get_global_idj`."""
    match = _MANGLED.match(symbol)
    return symbol[match.end() : match.end() + int(match.group(1))] if match else symbol


def is_barrier(symbol: str) -> bool:
    """Return whether the symbol is a barrier, of the work-group or the sub-group."""
    return source_name(symbol) in BARRIERS | SUB_GROUP_BARRIERS
