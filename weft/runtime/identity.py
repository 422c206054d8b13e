"""Names and versions of the platform, for the runtime and for the C side.

The C side serves clGetPlatformInfo before Python runs. This module imports no compiled module, because the
build reads it.
"""

import os

from weft import __version__
from weft.device.emulators import DEFAULT_PATH, EMULATORS
from weft.versions import NEWEST

NAME = "Weft"
VENDOR = "Weft developers"


def version_text(version: tuple[int, int]) -> str:
    """Return the version string of the platform or of a device."""
    major, minor = version
    return f"OpenCL {major}.{minor} {NAME} {__version__}"


VERSION = version_text(NEWEST)
PROFILE = "FULL_PROFILE"
ICD_SUFFIX = "WEFT"
PLATFORM_EXTENSIONS = ("cl_khr_icd", "cl_khr_extended_versioning")
DEVICE_EXTENSIONS = (
    "cl_ext_float_atomics",
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroup_local_block_io",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_extended_bit_ops",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_il_program",
    "cl_khr_image2d_from_buffer",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
)
# Extensions of host functions and queries only, for which OpenCL C has no macros.
API_EXTENSIONS = (
    "cl_ext_cxx_for_opencl",
    "cl_intel_unified_shared_memory",
    "cl_khr_command_buffer",
    "cl_khr_command_buffer_mutable_dispatch",
    "cl_khr_create_command_queue",
    "cl_khr_device_uuid",
    "cl_khr_expect_assume",
    "cl_khr_priority_hints",
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_spirv_queries",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
)
EXTENSIONS = PLATFORM_EXTENSIONS + DEVICE_EXTENSIONS + API_EXTENSIONS  # the same for all devices
NUMERIC_VERSION = NEWEST[0] << 22 | NEWEST[1] << 12
# Versions of extensions that are not 1.0.0.
_NEWER = {
    "cl_intel_unified_shared_memory": 1 << 22 | 1 << 12,
    "cl_khr_integer_dot_product": 2 << 22,
    "cl_khr_command_buffer": 9 << 12 | 8,
    "cl_khr_command_buffer_mutable_dispatch": 9 << 12 | 5,
}
EXTENSION_VERSIONS = tuple((name, _NEWER.get(name, 1 << 22)) for name in EXTENSIONS)
HOST_TIMER_RESOLUTION = 1  # nanoseconds
# All possible devices, in order; WEFT_DEVICES selects among those that are available.
KINDS_ON_X86 = ("pthread", "basic", "isolated", *EMULATORS, "ttasim")
KINDS_ELSEWHERE = ("pthread", "basic", "ttasim")
DEVICE_KINDS = KINDS_ON_X86 if os.uname().machine == "x86_64" else KINDS_ELSEWHERE
ACCELERATORS = frozenset({"ttasim"})  # the others are CPUs
# The program that a device needs, without the suffix `-static`.
DEVICE_PROGRAMS = EMULATORS
PROGRAM_PATH = DEFAULT_PATH  # searched if the environment has no PATH
