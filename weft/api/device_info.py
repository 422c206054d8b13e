"""Results of clGetDeviceInfo, for every query of OpenCL 3.1 and of supported extensions."""

from collections.abc import Callable, Sequence
from typing import Any

from weft import abi
from weft.abi import MOST_NAMED_BARRIERS, SUB_GROUP_SIZES
from weft.api import constants as c
from weft.api.info import (
    Query,
    constant,
    name_versions,
    obj,
    string,
    uint,
    uints,
    ulong,
    ulongs,
    version,
)
from weft.runtime import image, pipe
from weft.runtime.command_buffer import MUTABLE_FIELDS
from weft.runtime.identity import version_text
from weft.runtime.platform import (
    EXTENSION_VERSIONS,
    IL_VERSIONS,
    SPIRV_EXTENSIONS,
    SPIRV_SETS,
    Platform,
    device_uuid,
    driver_uuid,
    driver_version,
    lasting_strings,
    spirv_capabilities,
)
from weft.runtime.queue import HOST_PROPERTIES
from weft.runtime.sub_device import partition_ways

C_VERSION = "OpenCL C 1.2 Weft"
C_VERSIONS = ((1, 0), (1, 1), (1, 2), (3, 0), (3, 1))
C_FEATURES = [
    (f"__opencl_c_{name}", version(3, 0))
    for name in (
        "3d_image_writes",
        "int64",
        "fp64",
        "generic_address_space",
        "images",
        "integer_dot_product_input_4x8bit",
        "integer_dot_product_input_4x8bit_packed",
        "kernel_clock_scope_device",
        "kernel_clock_scope_sub_group",
        "kernel_clock_scope_work_group",
        "pipes",
        "program_scope_global_variables",
        "read_write_images",
        "subgroups",
        "work_group_collective_functions",
        "atomic_order_acq_rel",
        "atomic_order_seq_cst",
        "atomic_scope_device",
        "atomic_scope_all_devices",
        *(f"ext_fp16_{space}_atomic_load_store" for space in ("global", "local")),
        *(
            f"ext_fp{bits}_{space}_atomic_{operation}"
            for bits in (16, 32, 64)
            for space in ("global", "local")
            for operation in ("add", "min_max")
        ),
    )
]
# Atomic operations, the same for half, float and double.
FP_ATOMICS = (
    c.CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
    | c.CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
    | c.CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
    | c.CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
    | c.CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
    | c.CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT
)

SINGLE_FP = (
    c.CL_FP_DENORM
    | c.CL_FP_INF_NAN
    | c.CL_FP_ROUND_TO_NEAREST
    | c.CL_FP_FMA
    | c.CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
)
DOUBLE_FP = (
    c.CL_FP_DENORM
    | c.CL_FP_INF_NAN
    | c.CL_FP_ROUND_TO_NEAREST
    | c.CL_FP_ROUND_TO_ZERO
    | c.CL_FP_ROUND_TO_INF
    | c.CL_FP_FMA
)
# A machine whose units compute in float and round each result, so there is no fused multiply-add.
UNFUSED_FP = SINGLE_FP & ~c.CL_FP_FMA
# Half arithmetic is float arithmetic with rounded results.
HALF_FP = c.CL_FP_DENORM | c.CL_FP_INF_NAN | c.CL_FP_ROUND_TO_NEAREST | c.CL_FP_FMA
ATOMIC_MEMORY = (
    c.CL_DEVICE_ATOMIC_ORDER_RELAXED
    | c.CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | c.CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | c.CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | c.CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | c.CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES
)
ATOMIC_FENCES = ATOMIC_MEMORY | c.CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
# Allocations are shared with the host, and atomic operations are those of the processor.
SVM = c.CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | c.CL_DEVICE_SVM_FINE_GRAIN_BUFFER | c.CL_DEVICE_SVM_ATOMICS
# Likewise for each kind of unified shared memory.
USM = (
    c.CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
    | c.CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
    | c.CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
    | c.CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
)
_SYSTEM = c.CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
# Devices that support USM also support system SVM, because all addresses of the host are valid in kernels.
UNIFIED = "cl_intel_unified_shared_memory"
SUB_GROUPS = "__opencl_c_subgroups"
GENERIC_SPACE = "__opencl_c_generic_address_space"
DOT_PRODUCTS = "cl_khr_integer_dot_product"
DOT_PRODUCT_INPUTS = (
    c.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | c.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR
)
# All of them use the same counter of the processor.
KERNEL_CLOCKS = (
    c.CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
    | c.CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
    | c.CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR
)
VARIABLES = "__opencl_c_program_scope_global_variables"
# An extension of the embedded profile; it is part of the full profile.
INT64 = ("cles_khr_int64", version(1, 0))
# The prescribed form for devices without an official conformance submission.
NO_CONFORMANCE = "v0000-01-01-00"
LARGEST_TYPE_BYTES = 128  # long16
PRINTF_BUFFER_BYTES = 2**20


def _width(element_bytes: int) -> Query:
    return uint(lambda d: d.info.vector_width(element_bytes))


def _of_pipes(value: int) -> Query:
    """A limit that is 0 if the device has no pipes."""
    return uint(lambda d: value if d.info.has(pipe.PIPES) else 0)


def _width_of(extension: str, element_bytes: int) -> Query:
    """A vector width, 0 if the type is not supported."""
    return uint(lambda d: d.info.vector_width(element_bytes) if d.info.has(extension) else 0)


def _with(name: str, value: int, make: Callable[[Callable[[Any], int]], Query] = ulong) -> Query:
    """A value that is 0 on a device without an extension or feature."""
    return make(lambda d: value if d.info.has(name) else 0)


def _present(device: Any, versions: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the extensions or features that the device supports."""
    return [(name, number) for name, number in versions if device.info.has(name)]


def _extensions(device: Any) -> list[tuple[str, int]]:
    own = EXTENSION_VERSIONS if device.info.is_full else (*EXTENSION_VERSIONS, INT64)
    return _present(device, own)


def _il_versions(device: Any) -> Sequence[tuple[int, int]]:
    return IL_VERSIONS if device.info.has("cl_khr_il_program") else ()


def _strings(values: Sequence[str]) -> Query:
    """A query of type const char *[]."""
    return ulongs(lambda d: lasting_strings(tuple(values)) if _il_versions(d) else ())


def _image(value: int, make: Callable[[Callable[[Any], int]], Query] = ulong) -> Query:
    return _with("__opencl_c_images", value, make)


IDENTITY: dict[int, Query] = {
    c.CL_DEVICE_TYPE: ulong(lambda d: d.type),
    c.CL_DEVICE_VENDOR_ID: uint(lambda d: d.info.vendor_id),
    c.CL_DEVICE_NAME: string(lambda d: d.info.name),
    c.CL_DEVICE_VENDOR: string(lambda d: d.info.vendor),
    c.CL_DRIVER_VERSION: string(lambda d: driver_version()),
    c.CL_DEVICE_PROFILE: string(lambda d: Platform.profile if d.info.is_full else "EMBEDDED_PROFILE"),
    c.CL_DEVICE_VERSION: string(lambda d: version_text(d.info.version)),
    c.CL_DEVICE_NUMERIC_VERSION: uint(lambda d: version(*d.info.version)),
    c.CL_DEVICE_OPENCL_C_VERSION: constant(string, C_VERSION),
    c.CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: constant(uint, version(1, 2)),
    c.CL_DEVICE_OPENCL_C_ALL_VERSIONS: name_versions(
        lambda d: [("OpenCL C", version(*found)) for found in C_VERSIONS if found <= d.info.version]
    ),
    # The version of -cl-std=CLC++; there is no number for C++ for OpenCL 2021.
    c.CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: _with("cl_ext_cxx_for_opencl", version(1, 0), uint),
    c.CL_DEVICE_OPENCL_C_FEATURES: name_versions(lambda d: _present(d, C_FEATURES)),
    c.CL_DEVICE_EXTENSIONS: string(lambda d: " ".join(name for name, _ in _extensions(d))),
    c.CL_DEVICE_EXTENSIONS_WITH_VERSION: name_versions(_extensions),
    c.CL_DEVICE_BUILT_IN_KERNELS: constant(string, ""),
    c.CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: constant(name_versions, []),
    c.CL_DEVICE_IL_VERSION: string(lambda d: " ".join(f"SPIR-V_{a}.{b}" for a, b in _il_versions(d))),
    c.CL_DEVICE_ILS_WITH_VERSION: name_versions(
        lambda d: [("SPIR-V", version(a, b)) for a, b in _il_versions(d)]
    ),
    c.CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: _strings(SPIRV_SETS),
    c.CL_DEVICE_SPIRV_EXTENSIONS_KHR: _strings(SPIRV_EXTENSIONS),
    c.CL_DEVICE_SPIRV_CAPABILITIES_KHR: uints(lambda d: spirv_capabilities() if _il_versions(d) else ()),
    c.CL_DEVICE_UUID_KHR: device_uuid,
    c.CL_DRIVER_UUID_KHR: lambda _device: driver_uuid(),
    c.CL_DEVICE_LUID_VALID_KHR: constant(uint, 0),
    c.CL_DEVICE_LUID_KHR: constant(ulong, 0),
    c.CL_DEVICE_NODE_MASK_KHR: constant(uint, 0),
    c.CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: constant(string, NO_CONFORMANCE),
    c.CL_DEVICE_PLATFORM: obj(lambda d: d.platform),
    c.CL_DEVICE_AVAILABLE: constant(uint, 1),
    c.CL_DEVICE_COMPILER_AVAILABLE: constant(uint, 1),
    c.CL_DEVICE_LINKER_AVAILABLE: constant(uint, 1),
    c.CL_DEVICE_ENDIAN_LITTLE: uint(lambda d: d.info.little_endian),
    c.CL_DEVICE_ERROR_CORRECTION_SUPPORT: constant(uint, 0),
    c.CL_DEVICE_REFERENCE_COUNT: uint(lambda d: d.references),
    c.CL_DEVICE_PARENT_DEVICE: obj(lambda d: d.parent),
    c.CL_DEVICE_PARTITION_MAX_SUB_DEVICES: uint(lambda d: d.info.partitionable and d.info.compute_units),
    c.CL_DEVICE_PARTITION_PROPERTIES: ulongs(partition_ways),
    c.CL_DEVICE_PARTITION_AFFINITY_DOMAIN: constant(ulong, 0),
    c.CL_DEVICE_PARTITION_TYPE: ulongs(lambda d: d.partition or (0,)),
}

EXECUTION: dict[int, Query] = {
    c.CL_DEVICE_MAX_COMPUTE_UNITS: uint(lambda d: d.info.compute_units),
    c.CL_DEVICE_MAX_CLOCK_FREQUENCY: uint(lambda d: d.info.clock_mhz),
    c.CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: uint(lambda d: d.info.max_work_item_dimensions),
    c.CL_DEVICE_MAX_WORK_ITEM_SIZES: ulongs(lambda d: d.info.max_work_item_sizes),
    c.CL_DEVICE_MAX_WORK_GROUP_SIZE: ulong(lambda d: d.info.max_work_group_size),
    c.CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ulong(lambda d: d.info.vector_width(4)),
    c.CL_DEVICE_ADDRESS_BITS: uint(lambda d: d.info.address_bits),
    c.CL_DEVICE_SINGLE_FP_CONFIG: ulong(lambda d: SINGLE_FP if d.info.has_fused_multiply_add else UNFUSED_FP),
    c.CL_DEVICE_DOUBLE_FP_CONFIG: _with("cl_khr_fp64", DOUBLE_FP),
    c.CL_DEVICE_HALF_FP_CONFIG: _with("cl_khr_fp16", HALF_FP),
    c.CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: _with("cl_ext_float_atomics", FP_ATOMICS),
    c.CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: _with("cl_ext_float_atomics", FP_ATOMICS),
    c.CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: _with("cl_ext_float_atomics", FP_ATOMICS),
    c.CL_DEVICE_EXECUTION_CAPABILITIES: ulong(
        lambda d: c.CL_EXEC_KERNEL | (0 if d.info.is_accelerator else c.CL_EXEC_NATIVE_KERNEL)
    ),
    c.CL_DEVICE_PROFILING_TIMER_RESOLUTION: ulong(lambda d: d.info.profiling_resolution_ns),
    c.CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: constant(
        ulong, c.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | c.CL_QUEUE_PROFILING_ENABLE
    ),
    c.CL_DEVICE_PRINTF_BUFFER_SIZE: ulong(lambda d: 0 if d.info.is_accelerator else PRINTF_BUFFER_BYTES),
    c.CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: constant(uint, 1),
    c.CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: uint(lambda d: not d.info.is_accelerator),
    c.CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: constant(uint, 1),
    c.CL_DEVICE_MAX_NUM_SUB_GROUPS: uint(
        lambda d: d.info.max_work_group_size // min(SUB_GROUP_SIZES) if d.info.has(SUB_GROUPS) else 0
    ),
    c.CL_DEVICE_SUB_GROUP_SIZES_INTEL: ulongs(lambda d: SUB_GROUP_SIZES if d.info.has(SUB_GROUPS) else ()),
    c.CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: _with("cl_khr_kernel_clock", KERNEL_CLOCKS),
    c.CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: _with("cl_khr_subgroups", 1, uint),
    c.CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR: _with(
        "cl_khr_subgroup_named_barrier", MOST_NAMED_BARRIERS, uint
    ),
    c.CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: constant(ulong, ATOMIC_MEMORY),
    c.CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: constant(ulong, ATOMIC_FENCES),
    c.CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT: constant(uint, 0),
    c.CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT: constant(uint, 0),
    c.CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: constant(uint, 0),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: _width(1),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: _width(2),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: _width(4),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: _width(8),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: _width(4),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: _width_of("cl_khr_fp64", 8),
    c.CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: _width_of("cl_khr_fp16", 4),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: _width(1),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: _width(2),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_INT: _width(4),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: _width(8),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: _width(4),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: _width_of("cl_khr_fp64", 8),
    c.CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: _width_of("cl_khr_fp16", 4),
}

MEMORY: dict[int, Query] = {
    c.CL_DEVICE_GLOBAL_MEM_SIZE: ulong(lambda d: d.info.global_memory_bytes),
    c.CL_DEVICE_MAX_MEM_ALLOC_SIZE: ulong(lambda d: d.info.max_allocation_bytes),
    c.CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: uint(
        lambda d: c.CL_NONE if d.info.is_accelerator else c.CL_READ_WRITE_CACHE
    ),
    c.CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: uint(lambda d: d.info.cache_line_bytes),
    c.CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: ulong(lambda d: d.info.global_cache_bytes),
    c.CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: ulong(lambda d: d.info.max_constant_bytes),
    c.CL_DEVICE_MAX_CONSTANT_ARGS: uint(lambda d: d.info.max_constant_arguments),
    c.CL_DEVICE_MAX_PARAMETER_SIZE: ulong(lambda d: d.info.max_parameter_bytes),
    c.CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: _with(VARIABLES, abi.LARGEST_VARIABLE),
    c.CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: _with(VARIABLES, abi.LARGEST_VARIABLES),
    # Local memory is ordinary memory, which the core that runs a work-group keeps in its cache.
    c.CL_DEVICE_LOCAL_MEM_TYPE: constant(uint, c.CL_GLOBAL),
    c.CL_DEVICE_LOCAL_MEM_SIZE: ulong(lambda d: d.info.local_memory_bytes),
    c.CL_DEVICE_HOST_UNIFIED_MEMORY: uint(lambda d: not d.info.is_accelerator),
    c.CL_DEVICE_MEM_BASE_ADDR_ALIGN: uint(lambda d: 8 * d.info.base_address_alignment_bytes),
    c.CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: constant(uint, LARGEST_TYPE_BYTES),
    c.CL_DEVICE_SVM_CAPABILITIES: ulong(
        lambda d: SVM * d.info.has(UNIFIED) | (_SYSTEM if d.info.shares_system_memory else 0)
    ),
    c.CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: _with(
        "cl_khr_command_buffer",
        c.CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        | c.CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
    ),
    c.CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: _with(
        "cl_khr_command_buffer", HOST_PROPERTIES
    ),
    c.CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: constant(ulong, 0),
    c.CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: _with(
        "cl_khr_command_buffer_mutable_dispatch", MUTABLE_FIELDS
    ),
    c.CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: _with(UNIFIED, USM),
    c.CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: _with(UNIFIED, USM),
    c.CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: _with(UNIFIED, USM),
    c.CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: _with(UNIFIED, USM),
    c.CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: ulong(
        lambda d: USM if d.info.shares_system_memory else 0
    ),
    c.CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: _with(DOT_PRODUCTS, DOT_PRODUCT_INPUTS),
    # The compiler may use instructions for dot products, but not in all cases.
    c.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR: constant(uints, [0] * 6),
    c.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: constant(uints, [0] * 6),
    c.CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: uint(lambda d: int(d.info.has(GENERIC_SPACE))),
}

IMAGES: dict[int, Query] = {
    c.CL_DEVICE_IMAGE_SUPPORT: _image(1, uint),
    c.CL_DEVICE_MAX_READ_IMAGE_ARGS: _image(128, uint),
    c.CL_DEVICE_MAX_WRITE_IMAGE_ARGS: _image(64, uint),
    c.CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: _image(64, uint),
    c.CL_DEVICE_MAX_SAMPLERS: _image(16, uint),
    c.CL_DEVICE_IMAGE2D_MAX_WIDTH: _image(image.MAX_WIDTH),
    c.CL_DEVICE_IMAGE2D_MAX_HEIGHT: _image(image.MAX_HEIGHT),
    c.CL_DEVICE_IMAGE3D_MAX_WIDTH: _image(image.MAX_3D),
    c.CL_DEVICE_IMAGE3D_MAX_HEIGHT: _image(image.MAX_3D),
    c.CL_DEVICE_IMAGE3D_MAX_DEPTH: _image(image.MAX_3D),
    c.CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: _image(image.MAX_BUFFER_PIXELS),
    c.CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: _image(image.MAX_LAYERS),
    # For images created from a buffer, in pixels.
    c.CL_DEVICE_IMAGE_PITCH_ALIGNMENT: _image(1, uint),
    c.CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: _image(1, uint),
}

PIPES: dict[int, Query] = {
    c.CL_DEVICE_PIPE_SUPPORT: _of_pipes(1),
    c.CL_DEVICE_MAX_PIPE_ARGS: _of_pipes(pipe.MAX_ARGUMENTS),
    c.CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: _of_pipes(pipe.MAX_ACTIVE_RESERVATIONS),
    c.CL_DEVICE_PIPE_MAX_PACKET_SIZE: _of_pipes(pipe.MAX_PACKET_BYTES),
}

ABSENT: dict[int, Query] = {
    c.CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: constant(ulong, 0),
    c.CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: constant(ulong, 0),
    c.CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: constant(uint, 0),
    c.CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: constant(uint, 0),
    c.CL_DEVICE_MAX_ON_DEVICE_QUEUES: constant(uint, 0),
    c.CL_DEVICE_MAX_ON_DEVICE_EVENTS: constant(uint, 0),
}

DEVICE_INFO: dict[int, Query] = {**IDENTITY, **EXECUTION, **MEMORY, **IMAGES, **PIPES, **ABSENT}
