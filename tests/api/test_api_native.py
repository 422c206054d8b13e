"""Functions of the client as commands."""

import pytest
from api_support import NULL, World, address, call, check, ffi, handles, number
from weft.device._pool import lib

from weft.api import constants as c

STORE = lib.weft_test_function(b"native_store")  # void f(struct { uint64_t *out, value; } *)


def test_native_kernel_gets_a_copy_with_the_address_of_its_memory(world: World) -> None:
    buffer = world.filled(bytes(8))
    args = ffi.new("uint64_t[]", [0, 77])
    memories, places, event = handles(buffer), handles(address(args)), handles(0)
    gate = world.user_event()
    rest = (1, memories, places, 1, handles(gate), event)
    check("clEnqueueNativeKernel", world.queue, STORE, address(args), 16, *rest)
    args[1] = 5
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    assert int.from_bytes(world.contents(buffer), "little") == 77
    assert args[0] == 0
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_NATIVE_KERNEL


@pytest.mark.parametrize(
    ("function", "size", "count", "memory", "offset", "code"),
    [
        (0, 16, 1, None, 0, c.CL_INVALID_VALUE),
        (STORE, 0, 1, None, 0, c.CL_INVALID_VALUE),
        (STORE, 16, 0, None, 0, c.CL_INVALID_VALUE),
        (STORE, 16, 1, 99, 0, c.CL_INVALID_MEM_OBJECT),
        (STORE, 16, 1, None, 9, c.CL_INVALID_VALUE),
        (STORE, 16, 1, None, -8, c.CL_INVALID_VALUE),
    ],
    ids=["no-function", "no-size", "no-count", "no-memory", "offset-of-9", "offset-before"],
)
def test_native_kernel_checks_its_parameters(
    world: World, function: int, size: int, count: int, memory: int | None, offset: int, code: int
) -> None:
    args = ffi.new("uint64_t[2]")
    memories = handles(world.buffer(8) if memory is None else memory)
    places = handles(address(args) + offset)
    arguments = (function, address(args), size, count, memories, places, 0, NULL, NULL)
    assert call("clEnqueueNativeKernel", world.queue, *arguments) == code


def test_native_kernel_needs_a_queue() -> None:
    assert (
        call("clEnqueueNativeKernel", 0, STORE, 0, 0, 0, NULL, NULL, 0, NULL, NULL)
        == c.CL_INVALID_COMMAND_QUEUE
    )
