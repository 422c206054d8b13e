"""The OpenCL version that a device supports, derived from its extensions and OpenCL C features."""

from collections.abc import Collection

NEWEST = (3, 1)
# Features that OpenCL 3.1 requires in addition to OpenCL 3.0; SPIR-V is included in cl_khr_il_program.
REQUIRED_BY_3_1 = (
    "__opencl_c_subgroups",
    "cl_khr_device_uuid",
    "cl_khr_extended_bit_ops",
    "cl_khr_il_program",
    "cl_khr_integer_dot_product",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_suggested_local_work_size",
)


def opencl_version(only: Collection[str] | None) -> tuple[int, int]:
    """Return the version of a device with these extensions and features; None: all that Weft supports."""
    return NEWEST if only is None or all(name in only for name in REQUIRED_BY_3_1) else (3, 0)
