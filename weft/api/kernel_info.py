"""Results of queries on kernels and their arguments."""

from math import prod

from weft.api import constants as c
from weft.api.info import Query, constant, obj, string, uint, ulong, ulongs
from weft.dataclasses import dataclass
from weft.runtime.codes import CL_INVALID_VALUE
from weft.runtime.errors import CLError
from weft.runtime.kernel import Kernel
from weft.runtime.platform import Device

KERNEL_INFO: dict[int, Query] = {
    c.CL_KERNEL_FUNCTION_NAME: string(lambda k: k.name),
    c.CL_KERNEL_NUM_ARGS: uint(lambda k: len(k.arguments)),
    c.CL_KERNEL_REFERENCE_COUNT: uint(lambda k: k.references),
    c.CL_KERNEL_CONTEXT: obj(lambda k: k.context),
    c.CL_KERNEL_PROGRAM: obj(lambda k: k.program),
    c.CL_KERNEL_ATTRIBUTES: string(lambda k: k.compiled.info.attributes),
}

_ADDRESS_QUALIFIERS = {
    "global": c.CL_KERNEL_ARG_ADDRESS_GLOBAL,
    "local": c.CL_KERNEL_ARG_ADDRESS_LOCAL,
    "constant": c.CL_KERNEL_ARG_ADDRESS_CONSTANT,
    "private": c.CL_KERNEL_ARG_ADDRESS_PRIVATE,
}
_ACCESS_QUALIFIERS = {
    "read_only": c.CL_KERNEL_ARG_ACCESS_READ_ONLY,
    "write_only": c.CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
    "read_write": c.CL_KERNEL_ARG_ACCESS_READ_WRITE,
    "none": c.CL_KERNEL_ARG_ACCESS_NONE,
}
_TYPE_QUALIFIERS = {
    "const": c.CL_KERNEL_ARG_TYPE_CONST,
    "restrict": c.CL_KERNEL_ARG_TYPE_RESTRICT,
    "volatile": c.CL_KERNEL_ARG_TYPE_VOLATILE,
    "pipe": c.CL_KERNEL_ARG_TYPE_PIPE,
}

ARG_INFO: dict[int, Query] = {
    c.CL_KERNEL_ARG_ADDRESS_QUALIFIER: uint(lambda a: _ADDRESS_QUALIFIERS[a.address_space]),
    c.CL_KERNEL_ARG_ACCESS_QUALIFIER: uint(lambda a: _ACCESS_QUALIFIERS[a.access]),
    c.CL_KERNEL_ARG_TYPE_NAME: string(lambda a: a.type_name),
    c.CL_KERNEL_ARG_TYPE_QUALIFIER: ulong(lambda a: sum(_TYPE_QUALIFIERS[name] for name in a.qualifiers)),
    c.CL_KERNEL_ARG_NAME: string(lambda a: a.name),
}


def _work_group_size(pair: tuple[Kernel, Device]) -> int:
    kernel, device = pair
    required = kernel.compiled.info.reqd_work_group_size
    if required is not None:
        return min(required[0] * required[1] * required[2], device.info.max_work_group_size)
    return device.info.max_work_group_size


def _global_work_size(_pair: tuple[Kernel, Device]) -> bytes:
    raise CLError(
        CL_INVALID_VALUE, "the device is not a custom device and the kernel is not a built-in kernel"
    )


NONE = (0, 0, 0)
MOST_DIMENSIONS = 3

WORK_GROUP_INFO: dict[int, Query] = {
    c.CL_KERNEL_WORK_GROUP_SIZE: ulong(_work_group_size),
    c.CL_KERNEL_COMPILE_WORK_GROUP_SIZE: ulongs(lambda p: p[0].compiled.info.reqd_work_group_size or NONE),
    c.CL_KERNEL_LOCAL_MEM_SIZE: ulong(lambda p: p[0].local_bytes()),
    c.CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ulong(lambda p: p[1].info.vector_width(4)),
    c.CL_KERNEL_PRIVATE_MEM_SIZE: ulong(lambda p: p[0].compiled.private_bytes),
    c.CL_KERNEL_GLOBAL_WORK_SIZE: _global_work_size,
    # Spilled registers are part of private memory.
    c.CL_KERNEL_SPILL_MEM_SIZE_INTEL: constant(ulong, 0),
}


@dataclass(frozen=True)
class SubGroupQuery:
    """A query about the sub-groups of a kernel on a device.

    `given` are the numbers of `input_value`; `room` is the capacity of the result in numbers.
    """

    kernel: Kernel
    device: Device
    given: tuple[int, ...] = ()
    room: int = 1

    @property
    def size(self) -> int:
        """The number of work-items in a sub-group, except at the end of the work-group."""
        return self.kernel.compiled.sub_group_size

    @property
    def items(self) -> int:
        """The number of work-items in a work-group of the given size."""
        if not 1 <= len(self.given) <= MOST_DIMENSIONS:
            raise CLError(CL_INVALID_VALUE, "input_value must be a local size of one to three dimensions")
        items = prod(self.given)
        if items >= 1 << 64:
            raise CLError(CL_INVALID_VALUE, f"{self.given} exceeds the maximum number of work-items")
        return items

    def local_size(self) -> tuple[int, ...]:
        """Return a local size with the given number of sub-groups; zeros if there is none."""
        if len(self.given) != 1:
            raise CLError(CL_INVALID_VALUE, "input_value must be the number of sub-groups")
        if not 1 <= self.room <= MOST_DIMENSIONS:
            raise CLError(CL_INVALID_VALUE, "output_value must hold a local size of one to three dimensions")
        (count,) = self.given
        items = count * self.size
        required = self.kernel.compiled.info.reqd_work_group_size
        if required is not None:
            found = required if -(-prod(required) // self.size) == count else NONE
        else:
            fits = 0 < items <= self.device.info.max_work_group_size
            found = (items, 1, 1) if fits else NONE
        return found[: self.room]


def _most_sub_groups(query: SubGroupQuery) -> int:
    return -(-_work_group_size((query.kernel, query.device)) // query.size)


SUB_GROUP_INFO: dict[int, Query] = {
    c.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: ulong(lambda q: min(q.items, q.size)),
    c.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: ulong(lambda q: -(-q.items // q.size)),
    c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: ulongs(lambda q: q.local_size()),
    c.CL_KERNEL_MAX_NUM_SUB_GROUPS: ulong(_most_sub_groups),
    c.CL_KERNEL_COMPILE_NUM_SUB_GROUPS: constant(ulong, 0),
    c.CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: ulong(lambda q: q.kernel.compiled.info.sub_group_size or 0),
}
