"""The platform and its devices."""

import struct
import subprocess
import sys

import pytest
from api_support import (
    NULL,
    attempt,
    call,
    check,
    create,
    devices,
    ffi,
    handles,
    number,
    platform,
    query,
    refused,
    text,
)

from weft.api import constants as c
from weft.api.device_info import C_FEATURES, DEVICE_INFO
from weft.device import base
from weft.frontend import options
from weft.frontend.spirv import capabilities
from weft.frontend.spirv.grammar import enumeration
from weft.runtime.identity import DEVICE_EXTENSIONS
from weft.runtime.platform import Platform


def test_platform_tells_its_name_version_and_suffix() -> None:
    handle = platform()
    assert text("clGetPlatformInfo", handle, c.CL_PLATFORM_NAME) == "Weft"
    assert text("clGetPlatformInfo", handle, c.CL_PLATFORM_VERSION).startswith("OpenCL 3.1 Weft ")
    assert text("clGetPlatformInfo", handle, c.CL_PLATFORM_PROFILE) == "FULL_PROFILE"
    assert text("clGetPlatformInfo", handle, c.CL_PLATFORM_ICD_SUFFIX_KHR) == "WEFT"
    assert number("clGetPlatformInfo", handle, c.CL_PLATFORM_NUMERIC_VERSION) == 3 << 22 | 1 << 12
    assert "cl_khr_icd" in text("clGetPlatformInfo", handle, c.CL_PLATFORM_EXTENSIONS).split()


def test_platform_extensions_with_version_match_the_string() -> None:
    raw = query("clGetPlatformInfo", platform(), c.CL_PLATFORM_EXTENSIONS_WITH_VERSION)
    names = [name.rstrip(b"\0").decode() for _, name in struct.iter_unpack("=I64s", raw)]
    assert names == text("clGetPlatformInfo", platform(), c.CL_PLATFORM_EXTENSIONS).split()


def test_info_refuses_unknown_queries_and_small_places() -> None:
    size = ffi.new("size_t *")
    place = ffi.new("char[64]")
    at = int(ffi.cast("uintptr_t", place))
    assert call("clGetPlatformInfo", platform(), 0xBAD, 64, at, size) == c.CL_INVALID_VALUE
    assert call("clGetPlatformInfo", platform(), c.CL_PLATFORM_NAME, 4, at, size) == c.CL_INVALID_VALUE
    assert bytes(ffi.buffer(place)) == bytes(64)
    check("clGetPlatformInfo", platform(), c.CL_PLATFORM_NAME, 5, at, NULL)
    assert ffi.string(place) == b"Weft"


def test_platform_ids_need_a_place() -> None:
    assert call("clGetPlatformIDs", 0, handles(0), NULL) == c.CL_INVALID_VALUE
    assert call("clGetPlatformIDs", 1, NULL, NULL) == c.CL_INVALID_VALUE
    count = ffi.new("uint32_t *")
    check("clGetPlatformIDs", 0, NULL, count)
    assert count[0] == 1


@pytest.mark.parametrize("bad", [12345, 1])
def test_wrong_platform_handles_are_invalid(bad: int) -> None:
    assert call("clGetPlatformInfo", bad, c.CL_PLATFORM_NAME, 0, 0, NULL) == c.CL_INVALID_PLATFORM
    assert (
        call("clGetDeviceIDs", bad, c.CL_DEVICE_TYPE_ALL, 0, NULL, ffi.new("uint32_t *"))
        == c.CL_INVALID_PLATFORM
    )
    assert call("clUnloadPlatformCompiler", bad) == c.CL_INVALID_PLATFORM


def test_devices_are_found_by_type() -> None:
    assert devices(c.CL_DEVICE_TYPE_DEFAULT) == devices()[:1]
    assert devices(c.CL_DEVICE_TYPE_CPU) == devices()
    count = ffi.new("uint32_t *")
    for kind, code in (
        (c.CL_DEVICE_TYPE_GPU, c.CL_DEVICE_NOT_FOUND),
        (c.CL_DEVICE_TYPE_ACCELERATOR | c.CL_DEVICE_TYPE_CUSTOM, c.CL_DEVICE_NOT_FOUND),
        (0, c.CL_INVALID_DEVICE_TYPE),
        (1 << 20, c.CL_INVALID_DEVICE_TYPE),
    ):
        assert call("clGetDeviceIDs", platform(), kind, 0, NULL, count) == code
    assert call("clGetDeviceIDs", platform(), c.CL_DEVICE_TYPE_ALL, 0, handles(0), NULL) == c.CL_INVALID_VALUE
    assert call("clGetDeviceIDs", platform(), c.CL_DEVICE_TYPE_ALL, 0, NULL, NULL) == c.CL_INVALID_VALUE


def test_devices_setting_chooses_kinds_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DEVICES", "basic, pthread")
    assert [device.info.kind for device in Platform().devices] == ["basic", "pthread"]
    monkeypatch.setenv("WEFT_DEVICES", "basic, all")
    assert [device.info.kind for device in Platform().devices] == [
        "basic", *(device.kind for device in base.devices() if device.kind != "basic")
    ]  # fmt: skip
    monkeypatch.setenv("WEFT_DEVICES", "gpu")
    with pytest.raises(ValueError, match="unknown device 'gpu'"):
        Platform().devices  # noqa: B018


def test_every_device_query_of_opencl_3_has_a_result() -> None:
    asked = {
        value
        for name, value in vars(c).items()
        if name.startswith("CL_DEVICE_") and isinstance(value, int) and 0x1000 <= value < 0x1080
    }
    assert asked <= set(DEVICE_INFO)
    for param in DEVICE_INFO:
        query("clGetDeviceInfo", devices()[0], param)


def test_the_version_of_cxx_is_that_of_its_option() -> None:
    assert number("clGetDeviceInfo", devices()[0], c.CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT) == 1 << 22


def test_a_clock_of_kernels_has_every_scope() -> None:
    assert number("clGetDeviceInfo", devices()[0], c.CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR) == 7


def test_a_work_group_has_named_barriers() -> None:
    assert "cl_khr_subgroup_named_barrier" in text("clGetDeviceInfo", devices()[0], c.CL_DEVICE_EXTENSIONS)
    assert number("clGetDeviceInfo", devices()[0], c.CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR) >= 8


def test_devices_have_lasting_identifiers() -> None:
    (device,) = devices()
    own, driver = (
        query("clGetDeviceInfo", device, param) for param in (c.CL_DEVICE_UUID_KHR, c.CL_DRIVER_UUID_KHR)
    )
    assert len(own) == len(driver) == 16 and own != driver
    script = (
        "from weft.runtime.platform import *; d, = the_platform().devices;"
        "print(device_uuid(d).hex(), driver_uuid().hex())"
    )
    again = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert again.stdout.split() == [own.hex(), driver.hex()]
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_LUID_VALID_KHR) == 0
    assert len(query("clGetDeviceInfo", device, c.CL_DEVICE_LUID_KHR)) == 8


def test_what_is_supported_of_spirv_can_be_asked() -> None:
    (device,) = devices()

    def strings(param: int) -> set[str]:
        raw = query("clGetDeviceInfo", device, param)
        assert raw == query("clGetDeviceInfo", device, param)
        return {ffi.string(ffi.cast("char *", at)).decode() for (at,) in struct.iter_unpack("=Q", raw)}

    assert strings(c.CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR) == {"OpenCL.std"}
    assert strings(c.CL_DEVICE_SPIRV_EXTENSIONS_KHR) == capabilities.EXTENSIONS
    raw = query("clGetDeviceInfo", device, c.CL_DEVICE_SPIRV_CAPABILITIES_KHR)
    names = {enumeration("Capability")[value].name for (value,) in struct.iter_unpack("=I", raw)}
    assert names == capabilities.CAPABILITIES


def test_extensions_and_features_are_those_the_front_end_defines() -> None:
    compiled = {*options.EXTENSIONS, *options.NEWER_EXTENSIONS, *options.INTEL_EXTENSIONS}
    assert set(DEVICE_EXTENSIONS) == {*compiled, *options.HOST_EXTENSIONS}
    assert {name for name, _ in C_FEATURES} == set(options.FEATURES)


# Minima of OpenCL 1.2 / 3.0 full profile.
MINIMA = {
    c.CL_DEVICE_MAX_COMPUTE_UNITS: 1,
    c.CL_DEVICE_MAX_WORK_GROUP_SIZE: 1024,
    c.CL_DEVICE_MAX_PARAMETER_SIZE: 1024,
    c.CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: 64 << 10,
    c.CL_DEVICE_MAX_CONSTANT_ARGS: 8,
    c.CL_DEVICE_LOCAL_MEM_SIZE: 32 << 10,
    c.CL_DEVICE_MEM_BASE_ADDR_ALIGN: 1024,
    c.CL_DEVICE_PRINTF_BUFFER_SIZE: 1 << 20,
    c.CL_DEVICE_IMAGE_SUPPORT: 1,
    c.CL_DEVICE_MAX_READ_IMAGE_ARGS: 128,
    c.CL_DEVICE_MAX_WRITE_IMAGE_ARGS: 64,
    c.CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: 64,
    c.CL_DEVICE_MAX_SAMPLERS: 16,
    c.CL_DEVICE_IMAGE2D_MAX_WIDTH: 16384,
    c.CL_DEVICE_IMAGE2D_MAX_HEIGHT: 16384,
    c.CL_DEVICE_IMAGE3D_MAX_WIDTH: 2048,
    c.CL_DEVICE_IMAGE3D_MAX_HEIGHT: 2048,
    c.CL_DEVICE_IMAGE3D_MAX_DEPTH: 2048,
    c.CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: 65536,
    c.CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: 2048,
}


@pytest.mark.parametrize(("param", "least"), MINIMA.items())
def test_device_meets_the_minimum(param: int, least: int) -> None:
    assert number("clGetDeviceInfo", devices()[0], param) >= least


def test_device_reports_what_it_has_not() -> None:
    device = devices()[0]
    for param in (c.CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, c.CL_DEVICE_MAX_ON_DEVICE_QUEUES):
        assert number("clGetDeviceInfo", device, param) == 0
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) == 1
    assert text("clGetDeviceInfo", device, c.CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED) == "v0000-01-01-00"
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_PLATFORM) == platform()


def test_root_devices_are_not_counted() -> None:
    device = devices()[0]
    for _ in range(3):
        check("clReleaseDevice", device)
    check("clRetainDevice", device)
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_REFERENCE_COUNT) == 1
    for name in ("clRetainDevice", "clReleaseDevice"):
        assert call(name, 0) == c.CL_INVALID_DEVICE


def test_timers_run_forward() -> None:
    device = devices()[0]
    first, second, host = (ffi.new("uint64_t *") for _ in range(3))
    check("clGetHostTimer", device, first)
    check("clGetDeviceAndHostTimer", device, second, host)
    assert 0 < first[0] <= host[0]
    assert call("clGetHostTimer", device, NULL) == c.CL_INVALID_VALUE
    assert call("clGetDeviceAndHostTimer", device, NULL, host) == c.CL_INVALID_VALUE


def test_context_properties_are_checked_and_reported() -> None:
    device = handles(devices()[0])
    good = ffi.new("intptr_t[]", [c.CL_CONTEXT_PLATFORM, platform(), 0])
    context = create("clCreateContext", good, 1, device, 0, 0)
    assert query("clGetContextInfo", context, c.CL_CONTEXT_PROPERTIES) == bytes(ffi.buffer(good))
    check("clReleaseContext", context)
    for values, code in (
        ([c.CL_CONTEXT_PLATFORM, 99, 0], c.CL_INVALID_PLATFORM),
        ([0xBAD, 1, 0], c.CL_INVALID_PROPERTY),
        ([c.CL_CONTEXT_PLATFORM, platform(), c.CL_CONTEXT_PLATFORM, platform(), 0], c.CL_INVALID_PROPERTY),
        ([c.CL_CONTEXT_INTEROP_USER_SYNC, 7, 0], c.CL_INVALID_PROPERTY),
    ):
        assert refused("clCreateContext", ffi.new("intptr_t[]", values), 1, device, 0, 0) == code


def test_context_creation_checks_devices() -> None:
    assert refused("clCreateContext", NULL, 0, NULL, 0, 0) == c.CL_INVALID_VALUE
    assert refused("clCreateContext", NULL, 1, NULL, 0, 0) == c.CL_INVALID_VALUE
    assert refused("clCreateContext", NULL, 1, handles(0), 0, 0) == c.CL_INVALID_DEVICE
    assert refused("clCreateContext", NULL, 1, handles(devices()[0]), 0, 8) == c.CL_INVALID_VALUE
    assert refused("clCreateContextFromType", NULL, c.CL_DEVICE_TYPE_GPU, 0, 0) == c.CL_DEVICE_NOT_FOUND
    assert refused("clCreateContextFromType", NULL, 0, 0, 0) == c.CL_INVALID_DEVICE_TYPE


def test_context_counts_a_device_once() -> None:
    device = devices()[0]
    context = create("clCreateContext", NULL, 2, handles(device, device), 0, 0)
    assert number("clGetContextInfo", context, c.CL_CONTEXT_NUM_DEVICES) == 1
    assert number("clGetContextInfo", context, c.CL_CONTEXT_DEVICES) == device
    assert query("clGetContextInfo", context, c.CL_CONTEXT_PROPERTIES) == b""
    check("clReleaseContext", context)


def test_error_code_may_be_null() -> None:
    assert attempt("clCreateContext", NULL, 0, NULL, 0, 0)[0] == 0
    from api_support import ENTRIES

    context = ENTRIES["clCreateContextFromType"](NULL, c.CL_DEVICE_TYPE_CPU, 0, 0, NULL)
    check("clReleaseContext", context)
    assert ENTRIES["clCreateContextFromType"](NULL, c.CL_DEVICE_TYPE_GPU, 0, 0, NULL) == 0


def test_device_has_generic_pointers_and_dot_products_of_bytes() -> None:
    (device, *_) = devices()
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT) == 1
    inputs = number("clGetDeviceInfo", device, c.CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR)
    assert inputs == (
        c.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR
        | c.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR
    )
    for accelerated in (
        c.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
        c.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,
    ):
        assert query("clGetDeviceInfo", device, accelerated) == bytes(6 * 4)
