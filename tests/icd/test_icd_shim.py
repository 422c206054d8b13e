"""What the shared object answers in C, without starting Python."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shim_library import by_name, ffi, function, open_library, platform, slot

from weft.api import constants as cl
from weft.api import handles, registry
from weft.icd import register
from weft.icd.prototypes import prototypes
from weft.runtime import identity
from weft.runtime.platform import Platform, the_platform

TEXTS = {
    cl.CL_PLATFORM_NAME: identity.NAME,
    cl.CL_PLATFORM_VENDOR: identity.VENDOR,
    cl.CL_PLATFORM_VERSION: identity.VERSION,
    cl.CL_PLATFORM_PROFILE: identity.PROFILE,
    cl.CL_PLATFORM_EXTENSIONS: " ".join(identity.EXTENSIONS),
    cl.CL_PLATFORM_ICD_SUFFIX_KHR: identity.ICD_SUFFIX,
}


@pytest.fixture(scope="module")
def library() -> Any:
    return open_library()


def query(library: Any, name: int, size: int = 8192) -> bytes:
    value, got = ffi.new("char[]", size), ffi.new("size_t *")
    assert (
        library.clGetPlatformInfo(platform(library), name, size, int(ffi.cast("uintptr_t", value)), got) == 0
    )
    return bytes(ffi.buffer(value, got[0]))


@pytest.mark.parametrize("name", TEXTS)
def test_platform_texts(library: Any, name: int) -> None:
    assert query(library, name) == TEXTS[name].encode() + b"\0"


def test_runtime_tells_the_same() -> None:
    assert (Platform.name, Platform.vendor, Platform.version) == (
        identity.NAME,
        identity.VENDOR,
        identity.VERSION,
    )
    assert (Platform.profile, Platform.icd_suffix) == (identity.PROFILE, identity.ICD_SUFFIX)


def test_platform_numbers(library: Any) -> None:
    assert query(library, cl.CL_PLATFORM_NUMERIC_VERSION) == identity.NUMERIC_VERSION.to_bytes(4, "little")
    assert len(query(library, cl.CL_PLATFORM_HOST_TIMER_RESOLUTION)) == 8
    versions = query(library, cl.CL_PLATFORM_EXTENSIONS_WITH_VERSION)
    names = [versions[i + 4 : i + 68].split(b"\0")[0].decode() for i in range(0, len(versions), 68)]
    assert names == list(identity.EXTENSIONS)


def test_platform_query_with_too_little_room(library: Any) -> None:
    value = ffi.new("char[4]")
    room = int(ffi.cast("uintptr_t", value))
    handle = platform(library)
    assert library.clGetPlatformInfo(handle, cl.CL_PLATFORM_NAME, 4, room, ffi.NULL) == cl.CL_INVALID_VALUE
    assert library.clGetPlatformInfo(handle, 0x1234, 4, room, ffi.NULL) == cl.CL_INVALID_VALUE
    assert library.clGetPlatformInfo(room, cl.CL_PLATFORM_NAME, 4, room, ffi.NULL) == cl.CL_INVALID_PLATFORM


def test_platform_ids_checks_its_arguments(library: Any) -> None:
    count, found = ffi.new("uint32_t *"), ffi.new("uintptr_t[2]")
    assert library.clIcdGetPlatformIDsKHR(0, ffi.NULL, count) == 0
    assert count[0] == 1
    assert library.clIcdGetPlatformIDsKHR(0, found, count) == cl.CL_INVALID_VALUE
    assert library.clIcdGetPlatformIDsKHR(0, ffi.NULL, ffi.NULL) == cl.CL_INVALID_VALUE


def test_loader_finds_what_it_needs(library: Any) -> None:
    for name in (
        b"clIcdGetPlatformIDsKHR",
        b"clGetPlatformInfo",
        b"clCreateBuffer",
        b"clCreateProgramWithILKHR",
    ):
        assert library.clGetExtensionFunctionAddress(name)
    for name in (
        b"clCreateSubDevicesEXT",
        b"clCreateFromGLBuffer",
        b"clGetDeviceIDsFromD3D10KHR",
        b"nonsense",
        b"",
    ):
        assert not library.clGetExtensionFunctionAddress(name)
    assert not library.clGetExtensionFunctionAddress(ffi.NULL)


def test_given_out_function_leads_to_the_entry(library: Any) -> None:
    prototype = by_name("clGetDeviceIDs")
    address = library.clGetExtensionFunctionAddress(b"clGetDeviceIDs")
    count = ffi.new("uint32_t *")
    assert function(prototype, address)(platform(library), cl.CL_DEVICE_TYPE_ALL, 0, ffi.NULL, count) == 0
    assert count[0] >= 1


def test_two_installations_in_one_process_share_the_devices(library: Any, tmp_path: Path) -> None:
    other = ffi.dlopen(shutil.copy(register.library_path(), tmp_path))
    prototype = by_name("clGetDeviceIDs")
    found = []
    for handle in (platform(library), platform(other)):
        devices = ffi.new("uintptr_t[1]")
        call = function(prototype, slot(handle, prototype.index))
        assert call(handle, cl.CL_DEVICE_TYPE_ALL, 1, devices, ffi.NULL) == 0
        found.append(devices[0])
    assert found[0] == found[1]


def test_only_windows_slots_are_null(library: Any) -> None:
    handle = platform(library)
    assert {p.name for p in prototypes() if not slot(handle, p.index)} == {
        p.name for p in prototypes() if not p.returns
    }


def test_asking_for_the_platform_loads_no_python_module() -> None:
    text = """
import sys
sys.path.insert(0, sys.argv[1])
import shim_library
before = set(sys.modules)
library = shim_library.open_library()
shim_library.platform(library)
assert not {name for name in set(sys.modules) - before if name.startswith("weft.")}
"""
    folder = __file__.rpartition("/")[0]
    subprocess.run([sys.executable, "-c", text, folder], check=True, timeout=60)


def test_python_entry_tells_the_same_as_the_c_function(library: Any) -> None:
    entry = registry.load()["clGetPlatformInfo"]
    handle = handles.publish(the_platform())
    for name in (*TEXTS, cl.CL_PLATFORM_NUMERIC_VERSION, cl.CL_PLATFORM_EXTENSIONS_WITH_VERSION):
        value, got = ffi.new("char[]", 8192), ffi.new("size_t *")
        assert entry(handle, name, 8192, int(ffi.cast("uintptr_t", value)), got) == 0
        assert bytes(ffi.buffer(value, got[0])) == query(library, name)
