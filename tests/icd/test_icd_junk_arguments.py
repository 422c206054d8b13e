"""Every entry of the table, called with NULL, garbage and freed handles, returns an error code."""

import subprocess
import sys

import pytest

CALL_EVERYTHING = """
import sys
sys.path.insert(0, sys.argv[1])
from shim_library import by_name, ffi, function, open_library, platform, slot
from weft.api import constants as cl
from weft.icd.prototypes import python_prototypes

library = open_library()
handle = platform(library)

def call(name, *arguments):
    prototype = by_name(name)
    return function(prototype, slot(handle, prototype.index))(*arguments)

devices = ffi.new("uintptr_t[1]")
assert call("clGetDeviceIDs", handle, cl.CL_DEVICE_TYPE_ALL, 1, devices, ffi.NULL) == 0
code = ffi.new("int32_t *")
context = call("clCreateContext", ffi.NULL, 1, devices, 0, 0, code)
assert context and code[0] == 0
freed = call("clCreateBuffer", context, 0, 64, 0, code)
assert freed and code[0] == 0
assert call("clReleaseMemObject", freed) == 0

HANDLES = {"null": 0, "garbage": 0x1234567, "freed": freed, "wrong kind": handle}
junk = HANDLES[sys.argv[2]]
allowed = {  # entries that do not look at a handle, or for which the platform or NULL is the right one
    "clUnloadCompiler", "clUnloadPlatformCompiler", "clGetDeviceIDs", "clSVMFree",
}
for prototype in python_prototypes():
    arguments = []
    for parameter in prototype.parameters:
        if parameter.name == "errcode_ret":
            code[0] = 12345
            arguments.append(code)
        elif "*" in parameter.c_type:
            arguments.append(ffi.NULL)
        elif parameter.c_type == "uintptr_t" and parameter.type.startswith("cl_"):
            arguments.append(junk)
        else:
            arguments.append(0)
    result = function(prototype, slot(handle, prototype.index))(*arguments)
    if prototype.name in allowed:
        continue
    if prototype.returns == "cl_int":
        assert result < 0, (prototype.name, result)
    elif prototype.returns != "void":
        assert result == 0, (prototype.name, result)
        if prototype.reports_through_pointer:
            assert -2000 < code[0] < 0, (prototype.name, code[0])
            # errcode_ret may be NULL as well
            arguments[-1] = ffi.NULL
            assert function(prototype, slot(handle, prototype.index))(*arguments) == 0
print("ok")
"""


@pytest.mark.parametrize("kind", ["null", "garbage", "freed", "wrong kind"])
def test_entry_refuses_bad_handles(kind: str) -> None:
    folder = __file__.rpartition("/")[0]
    result = subprocess.run(
        [sys.executable, "-c", CALL_EVERYTHING, folder, kind],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr
    assert "Traceback" not in result.stderr, result.stderr
