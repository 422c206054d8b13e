"""A client of the registered entries, as the ICD calls them: ints for handles, cffi pointers for data."""

from dataclasses import dataclass, field
from typing import Any

from _cffi_backend import FFI

from weft.api import constants as c
from weft.api import registry

ffi = FFI()
NULL = ffi.NULL
ENTRIES = registry.load()


def call(name: str, *arguments: Any) -> int:
    """Call an entry that returns a code."""
    return ENTRIES[name](*arguments)


def check(name: str, *arguments: Any) -> None:
    """Call an entry that must succeed."""
    code = call(name, *arguments)
    assert code == c.CL_SUCCESS, f"{name} gave {code}"


def create(name: str, *arguments: Any) -> int:
    """Call an entry with `errcode_ret` that must succeed."""
    made, code = attempt(name, *arguments)
    assert code == c.CL_SUCCESS, f"{name} gave {code}"
    assert made
    return made


def attempt(name: str, *arguments: Any) -> tuple[int, int]:
    """Call an entry with `errcode_ret`; its result and code."""
    code = ffi.new("int32_t *", 12345)
    made = ENTRIES[name](*arguments, code)
    return made, code[0]


def refused(name: str, *arguments: Any) -> int:
    """The code of an entry with `errcode_ret` that must not return an object."""
    made, code = attempt(name, *arguments)
    assert made == 0
    return code


def query(name: str, *arguments: Any) -> bytes:
    """A clGet*Info value: asks for the size, then for the value."""
    size = ffi.new("size_t *")
    check(name, *arguments, 0, 0, size)
    value = ffi.new("char[]", size[0] or 1)
    check(name, *arguments, size[0], int(ffi.cast("uintptr_t", value)), size)
    return bytes(ffi.buffer(value, size[0]))


def number(name: str, *arguments: Any) -> int:
    """A clGet*Info value that is an unsigned number."""
    return int.from_bytes(query(name, *arguments), "little")


def text(name: str, *arguments: Any) -> str:
    """A clGet*Info value that is a string."""
    value = query(name, *arguments)
    assert value.endswith(b"\0")
    return value[:-1].decode()


def handles(*values: int) -> Any:
    """An array of handles."""
    return ffi.new("uintptr_t[]", list(values))


def sizes(*values: int) -> Any:
    """An array of size_t."""
    return ffi.new("size_t[]", list(values))


def address(pointer: Any) -> int:
    """The address in a cffi pointer."""
    return int(ffi.cast("uintptr_t", pointer))


def platform() -> int:
    """The platform's handle."""
    place = handles(0)
    check("clGetPlatformIDs", 1, place, NULL)
    return place[0]


def devices(kind: int = c.CL_DEVICE_TYPE_ALL) -> list[int]:
    """The devices' handles."""
    count = ffi.new("uint32_t *")
    check("clGetDeviceIDs", platform(), kind, 0, NULL, count)
    place = handles(*[0] * count[0])
    check("clGetDeviceIDs", platform(), kind, count[0], place, NULL)
    return list(place)


@dataclass
class World:
    """A context with a queue and everything a test makes in it."""

    properties: int = 0
    device: int = field(init=False)
    context: int = field(init=False)
    queue: int = field(init=False)

    def __post_init__(self) -> None:
        self.device = devices()[0]
        self.context = create("clCreateContext", NULL, 1, handles(self.device), 0, 0)
        self.queue = create("clCreateCommandQueue", self.context, self.device, self.properties)

    def buffer(self, size: int, flags: int = c.CL_MEM_READ_WRITE, host: int = 0) -> int:
        """A new buffer."""
        return create("clCreateBuffer", self.context, flags, size, host)

    def filled(self, data: bytes, flags: int = 0) -> int:
        """A new buffer with a copy of `data`."""
        source = ffi.new("char[]", data)
        return self.buffer(len(data), flags | c.CL_MEM_COPY_HOST_PTR, address(source))

    def contents(self, buffer: int) -> bytes:
        """All bytes of a buffer."""
        size = number("clGetMemObjectInfo", buffer, c.CL_MEM_SIZE)
        place = ffi.new("char[]", size)
        check("clEnqueueReadBuffer", self.queue, buffer, 1, 0, size, address(place), 0, NULL, NULL)
        return bytes(ffi.buffer(place))

    def user_event(self) -> int:
        """A new user event."""
        return create("clCreateUserEvent", self.context)

    def status(self, event: int) -> int:
        """The execution status of an event."""
        raw = query("clGetEventInfo", event, c.CL_EVENT_COMMAND_EXECUTION_STATUS)
        return int.from_bytes(raw, "little", signed=True)

    def close(self) -> None:
        """Release what every world has."""
        call("clFinish", self.queue)
        call("clReleaseCommandQueue", self.queue)
        call("clReleaseContext", self.context)
