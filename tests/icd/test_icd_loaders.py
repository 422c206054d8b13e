"""Loaders with several platforms count devices while other threads wait for them: that needs no Python."""

import os
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

import pytest

from weft.device.emulators import find_emulator
from weft.icd import register, toolchain
from weft.runtime import identity

HERE = Path(__file__).parent

# All threads make their first call together, with the interpreter's lock held as pyopencl does.
RACE = """
import ctypes, sys, threading
loader, count = ctypes.PyDLL(sys.argv[1]), int(sys.argv[2])
sys.setswitchinterval(1e-5)
def number(function, *arguments):
    found = ctypes.c_uint()
    code = function(*arguments, 0, None, ctypes.byref(found))
    return found.value if code == 0 else code
def first():
    line.wait()
    platforms = (ctypes.c_void_p * 8)()
    loader.clGetPlatformIDs(8, platforms, None)
    found.append(number(loader.clGetPlatformIDs))
    every = ctypes.c_ulong(0xFFFFFFFF)
    for platform in platforms[: found[0]]:
        if number(loader.clGetDeviceIDs, ctypes.c_void_p(platform), every) > 0:
            device = ctypes.c_void_p()
            assert not loader.clGetDeviceIDs(ctypes.c_void_p(platform), every, 1, ctypes.byref(device), None)
            devices.add(device.value)
line, found, devices = threading.Barrier(count), [], set()
threads = [threading.Thread(target=first) for _ in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*set(found), len(devices))
"""


def pyopencl_loader() -> str:
    return str(next(register.loader_folder().glob("libOpenCL*")))


def run(text: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("OCL_", "WEFT_D"))
    }
    return subprocess.run(
        [sys.executable, "-c", text, *arguments],
        env=environment | {"PYOPENCL_HOME": ""} | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A driver of another platform."""
    library = tmp_path_factory.mktemp("other") / "libother.so"
    toolchain.compile_c([HERE / "second_platform.c"], library)
    return library


@pytest.mark.parametrize("loader", ["pyopencl", "system"])
@pytest.mark.parametrize(("threads", "platforms"), [(2, 2), (8, 3), (32, 2), (4, 1)])
def test_threads_that_make_the_first_call_together(
    loader: str, threads: int, platforms: int, other: Path, tmp_path: Path
) -> None:
    found = pyopencl_loader() if loader == "pyopencl" else find_library("OpenCL")
    if found is None:
        pytest.skip("the system has no OpenCL loader")
    # A copy, as the loader of pyopencl also reads the folder it lies in.
    alone = tmp_path / "libOpenCL.so"
    alone.symlink_to(found) if loader == "system" else alone.write_bytes(Path(found).read_bytes())
    vendors = tmp_path / "vendors"
    register.register(vendors)
    for index in range(platforms - 1):
        library = tmp_path / f"libother{index}.so"
        library.write_bytes(other.read_bytes())
        (vendors / f"z{index}.icd").write_text(f"{library}\n")
    name = found if loader == "system" else str(alone)
    assert run(RACE, name, str(threads), OCL_ICD_VENDORS=str(vendors)).stdout == f"{platforms} 1\n"


COUNTS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from shim_library import by_name, ffi, function, open_library, platform
from weft import settings
from weft.runtime.platform import Platform
library = open_library()
count = function(by_name("clGetDeviceIDs"), library.clGetExtensionFunctionAddress(b"clGetDeviceIDs"))
good = ("", "basic", "pthread,basic", " basic ,\\tpthread ,", ",", "basic,basic", "all", "basic, all,")
for text in (*good, "ttasim", "gpu", "basic,cpu,"):
    os.environ["WEFT_DEVICES"] = text
    found = ffi.new("uint32_t *")
    code = count(platform(library), 0xFFFFFFFF, 0, ffi.NULL, found)
    try:
        expected = len(Platform().devices)
        assert (code, found[0]) == ((0, expected) if expected else (-1, 0)), text
    except settings.InvalidSetting as error:
        assert code == -5, text
        print("weft:", error)
os.environ["WEFT_DEVICES"] = ""
for kind, code in ((1, 0), (2, 0), (3, 0), (4, -1), (8, -1), (16, -1), (0, -31), (32, -31), (0xFFFFFFFF, 0)):
    assert count(platform(library), kind, 0, ffi.NULL, found) == code, kind
os.environ["WEFT_DEVICES"] = "ttasim,pthread,basic"
for kind, number in ((1, 1), (2, 2), (3, 3), (8, 1), (9, 1), (10, 3), (0xFFFFFFFF, 3)):
    assert count(platform(library), kind, 0, ffi.NULL, found) == 0 and found[0] == number, kind
assert "weft.icd.driver" not in sys.modules
"""


def test_devices_are_counted_as_python_counts_them() -> None:
    result = run(COUNTS, str(HERE))
    assert result.stdout == result.stderr and result.stdout.count("unknown device") == 2


def test_kinds_of_devices() -> None:
    from weft.device.base import devices

    needing = identity.DEVICE_PROGRAMS
    there = tuple(kind for kind in identity.DEVICE_KINDS if kind not in needing or find_emulator(kind))
    assert tuple(device.kind for device in devices()) == there
