"""What the queries about kernels and their arguments answer."""

from weft.api import constants as c
from weft.api.info import Query, obj, string, uint, ulong, ulongs
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
    raise CLError(CL_INVALID_VALUE, "neither a custom device nor a built-in kernel")


NONE = (0, 0, 0)

WORK_GROUP_INFO: dict[int, Query] = {
    c.CL_KERNEL_WORK_GROUP_SIZE: ulong(_work_group_size),
    c.CL_KERNEL_COMPILE_WORK_GROUP_SIZE: ulongs(lambda p: p[0].compiled.info.reqd_work_group_size or NONE),
    c.CL_KERNEL_LOCAL_MEM_SIZE: ulong(lambda p: p[0].local_bytes()),
    c.CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ulong(lambda p: p[1].info.vector_width(4)),
    c.CL_KERNEL_PRIVATE_MEM_SIZE: ulong(lambda p: p[0].compiled.private_bytes),
    c.CL_KERNEL_GLOBAL_WORK_SIZE: _global_work_size,
}
