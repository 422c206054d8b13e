"""The objects and memory that fuzzed calls are given, good and bad, through the dispatch table itself."""

from typing import Any

from shim_library import by_name, ffi, function, open_library, platform, slot

from weft.api import constants as c
from weft.icd.prototypes import Prototype

ARRAY = 4  # every array that a count goes with has room for so many
SCRATCH_BYTES = 1 << 21  # more than any buffer that the fuzzer can make
SOURCE = b"""
kernel void k(global int *p, int x, local int *l, constant int *q) {
    if (p) p[get_global_id(0) & 7] = x;
}
kernel void empty() {}
"""
STRINGS = (
    SOURCE,
    b"kernel void k(",
    b"",
    b"k",
    b"empty",
    b"-D X=1",
    b"-cl-std=CL3.0",
    b"-what",
    b"\xff\xfe",
    b"a.h",
)

NULL = ffi.NULL


class World:
    """Live and dead handles by their type, and memory to point to."""

    def __init__(self) -> None:
        self.library = open_library()
        self.platform = platform(self.library)
        self.functions: dict[str, Any] = {}
        self.handles: dict[str, list[int]] = {}
        self.scratch = ffi.new("char[]", SCRATCH_BYTES)
        self.values = ffi.new("char[]", 1 << 16)
        self.strings = [ffi.new("char[]", text + b"\0" * 64) for text in STRINGS]
        self.kept: list[Any] = []
        libc = ffi.dlopen(None)
        self.callback = int(ffi.cast("uintptr_t", ffi.addressof(libc, "getpid")))
        self.code = ffi.new("int32_t *")
        devices = ffi.new("uintptr_t[1]")
        assert self.call("clGetDeviceIDs", self.platform, c.CL_DEVICE_TYPE_ALL, 1, devices, NULL) == 0
        self.device = devices[0]

    def call(self, name: str, *arguments: Any) -> Any:
        """Call an entry through the table."""
        found = self.functions.get(name)
        if found is None:
            prototype = by_name(name)
            found = self.functions[name] = function(prototype, slot(self.platform, prototype.index))
        return found(*arguments)

    def make(self, name: str, *arguments: Any) -> int:
        """Call an entry that must make an object."""
        made = self.call(name, *arguments, self.code)
        assert made, (name, self.code[0])
        return int(made)

    def address(self, pointer: Any) -> int:
        return int(ffi.cast("uintptr_t", pointer))

    def renew(self) -> None:
        """One good object of every kind, and one that was released; what was there before is let go."""
        for kind, handles in self.handles.items():
            for handle in handles:
                if kind in _RELEASES:
                    self.call(_RELEASES[kind], handle)
        device = ffi.new("uintptr_t[1]", [self.device])
        context = self.make("clCreateContext", NULL, 1, device, 0, 0)
        queue = self.make("clCreateCommandQueue", context, self.device, c.CL_QUEUE_PROFILING_ENABLE)
        buffer = self.make("clCreateBuffer", context, 0, 4096, 0)
        freed = self.make("clCreateBuffer", context, 0, 64, 0)
        text = ffi.new("char *[]", [self.strings[0]])
        program = self.make("clCreateProgramWithSource", context, 1, text, NULL)
        assert self.call("clBuildProgram", program, 0, NULL, NULL, 0, 0) == 0
        kernel = self.make("clCreateKernel", program, self.strings[3])
        event = self.make("clCreateUserEvent", context)
        assert self.call("clSetUserEventStatus", event, 0) == 0
        failed = self.make("clCreateUserEvent", context)
        assert self.call("clSetUserEventStatus", failed, -5) == 0
        mutable = ffi.new("uint64_t[3]", [c.CL_COMMAND_BUFFER_FLAGS_KHR, c.CL_COMMAND_BUFFER_MUTABLE_KHR, 0])
        queues, command = ffi.new("uintptr_t[1]", [queue]), ffi.new("uintptr_t[1]")
        commands, final = (self.make("clCreateCommandBufferKHR", 1, queues, mutable) for _ in range(2))
        for recorded in (commands, final):
            size = ffi.new("size_t[1]", [8])
            record = recorded, 0, NULL, kernel, 1, NULL, size, NULL, 0, NULL, NULL, command
            assert self.call("clCommandNDRangeKernelKHR", *record) == 0
        assert self.call("clFinalizeCommandBufferKHR", final) == 0
        assert self.call("clReleaseMemObject", freed) == 0
        self.dead = freed
        self.handles = {
            "cl_platform_id": [self.platform],
            "cl_device_id": [self.device],
            "cl_context": [context],
            "cl_command_queue": [queue],
            "cl_mem": [buffer],
            "cl_sampler": [],
            "cl_program": [program],
            "cl_kernel": [kernel],
            "cl_event": [event, failed],
            "cl_command_buffer_khr": [commands, final],
            "cl_mutable_command_khr": [command[0]],
        }

    def remember(self, kind: str, handle: int) -> None:
        """A call made an object: later calls may be given it."""
        if not handle:
            return
        if kind == "cl_event":
            # Whoever waits for an event that nobody completes waits for ever, and rightly so.
            self.call("clSetUserEventStatus", handle, 0)
        self.handles[kind].append(handle)


_RELEASES = {
    "cl_command_buffer_khr": "clReleaseCommandBufferKHR",
    "cl_event": "clReleaseEvent",
    "cl_kernel": "clReleaseKernel",
    "cl_program": "clReleaseProgram",
    "cl_sampler": "clReleaseSampler",
    "cl_mem": "clReleaseMemObject",
    "cl_command_queue": "clReleaseCommandQueue",
    "cl_context": "clReleaseContext",
}


def made_by(prototype: Prototype) -> str:
    """The type of the object that an entry returns; empty if it returns none."""
    return prototype.returns if prototype.returns in _RELEASES else ""


ffi.cdef("int getpid(void);")
