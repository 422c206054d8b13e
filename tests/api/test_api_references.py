"""Reference counts: what stays alive, what becomes invalid, and when."""

import pytest
from api_support import NULL, World, call, check, create, devices, ffi, handles, number, sizes
from fake_compiler import FakeCompiler

from weft.api import constants as c
from weft.api import handles as table


def _program(world: World) -> int:
    source = ffi.new("char[]", b"empty")
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [source]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    return program


def _kernel(world: World) -> int:
    return create("clCreateKernel", _program(world), ffi.new("char[]", b"empty"))


def _context(world: World) -> int:
    return create("clCreateContext", NULL, 1, handles(world.device), 0, 0)


def _queue(world: World) -> int:
    return create("clCreateCommandQueue", world.context, world.device, 0)


def _buffer(world: World) -> int:
    return world.buffer(64)


OBJECTS = {
    "Context": (_context, "clGetContextInfo", c.CL_CONTEXT_REFERENCE_COUNT, c.CL_INVALID_CONTEXT),
    "CommandQueue": (_queue, "clGetCommandQueueInfo", c.CL_QUEUE_REFERENCE_COUNT, c.CL_INVALID_COMMAND_QUEUE),
    "MemObject": (_buffer, "clGetMemObjectInfo", c.CL_MEM_REFERENCE_COUNT, c.CL_INVALID_MEM_OBJECT),
    "Program": (_program, "clGetProgramInfo", c.CL_PROGRAM_REFERENCE_COUNT, c.CL_INVALID_PROGRAM),
    "Kernel": (_kernel, "clGetKernelInfo", c.CL_KERNEL_REFERENCE_COUNT, c.CL_INVALID_KERNEL),
    "Event": (lambda w: w.user_event(), "clGetEventInfo", c.CL_EVENT_REFERENCE_COUNT, c.CL_INVALID_EVENT),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_are_counted_and_invalid_after_the_last_release(
    world: World, compiler: FakeCompiler, kind: str
) -> None:
    make, info, param, invalid = OBJECTS[kind]
    handle = make(world)
    assert number(info, handle, param) == 1
    check(f"clRetain{kind}", handle)
    assert number(info, handle, param) == 2
    check(f"clRelease{kind}", handle)
    check(f"clRelease{kind}", handle)
    assert call(f"clRetain{kind}", handle) == invalid
    assert call(f"clRelease{kind}", handle) == invalid
    assert call(info, handle, param, 0, 0, NULL) == invalid
    assert call(f"clRelease{kind}", 0) == invalid
    assert call(f"clRelease{kind}", world.device) == invalid


def test_context_lives_as_long_as_its_queue() -> None:
    world = World()
    check("clReleaseContext", world.context)
    assert number("clGetCommandQueueInfo", world.queue, c.CL_QUEUE_CONTEXT) == world.context
    check("clRetainContext", world.context)
    check("clReleaseContext", world.context)
    buffer = world.filled(b"abc")
    assert world.contents(buffer) == b"abc"
    check("clReleaseMemObject", buffer)
    check("clReleaseCommandQueue", world.queue)
    assert call("clRetainContext", world.context) == c.CL_INVALID_CONTEXT


def test_program_lives_as_long_as_its_kernels(world: World, compiler: FakeCompiler) -> None:
    kernel = _kernel(world)
    program = number("clGetKernelInfo", kernel, c.CL_KERNEL_PROGRAM)
    check("clReleaseProgram", program)
    assert number("clGetKernelInfo", kernel, c.CL_KERNEL_PROGRAM) == program
    check("clReleaseKernel", kernel)
    assert call("clRetainProgram", program) == c.CL_INVALID_PROGRAM


def test_event_keeps_its_queue(world: World) -> None:
    queue = create("clCreateCommandQueue", world.context, world.device, 0)
    event = handles(0)
    check("clEnqueueMarkerWithWaitList", queue, 0, NULL, event)
    check("clReleaseCommandQueue", queue)
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_QUEUE) == queue
    check("clWaitForEvents", 1, event)
    check("clReleaseEvent", event[0])
    assert call("clFinish", queue) == c.CL_INVALID_COMMAND_QUEUE


def test_commands_run_on_after_everything_is_released(compiler: FakeCompiler) -> None:
    world = World()
    buffer = world.filled(bytes(4096))
    gate = world.user_event()
    pattern = ffi.new("char[]", b"\1")
    done = handles(0)
    at = int(ffi.cast("uintptr_t", pattern))
    check("clEnqueueFillBuffer", world.queue, buffer, at, 1, 0, 4096, 1, handles(gate), done)
    for name, handle in (
        ("clReleaseMemObject", buffer),
        ("clReleaseCommandQueue", world.queue),
        ("clReleaseContext", world.context),
    ):
        check(name, handle)
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clWaitForEvents", 1, done)
    assert world.status(done[0]) == c.CL_COMPLETE


def test_destructor_of_the_context_runs_when_it_is_deleted() -> None:
    called: list[int] = []

    @ffi.callback("void(uintptr_t, void *)")
    def destructor(context: int, data: object) -> None:
        called.append(context)

    at = int(ffi.cast("uintptr_t", destructor))
    context = create("clCreateContext", NULL, 1, handles(devices()[0]), 0, 0)
    check("clSetContextDestructorCallback", context, at, 0)
    assert call("clSetContextDestructorCallback", context, 0, 0) == c.CL_INVALID_VALUE
    queue = create("clCreateCommandQueue", context, devices()[0], 0)
    check("clReleaseContext", context)
    assert called == []
    check("clReleaseCommandQueue", queue)
    assert called == [context]


def test_a_freed_handle_does_not_name_a_new_object(world: World) -> None:
    old = world.buffer(64)
    check("clReleaseMemObject", old)
    fresh = [world.buffer(64) for _ in range(200)]
    assert old not in fresh
    assert call("clRetainMemObject", old) == c.CL_INVALID_MEM_OBJECT
    for handle in fresh:
        check("clReleaseMemObject", handle)


def test_all_objects_are_released(compiler: FakeCompiler) -> None:
    devices()
    before = set(table.live)
    world = World()
    kernel = _kernel(world)
    program = number("clGetKernelInfo", kernel, c.CL_KERNEL_PROGRAM)
    buffer = world.buffer(512)
    region = sizes(0, 128)
    at = int(ffi.cast("uintptr_t", region))
    sub = create("clCreateSubBuffer", buffer, 0, c.CL_BUFFER_CREATE_TYPE_REGION, at)
    event = handles(0)
    check("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, sizes(4), NULL, 0, NULL, event)
    check("clFinish", world.queue)
    check("clReleaseEvent", event[0])
    for handle in (buffer, sub):
        check("clReleaseMemObject", handle)
    check("clReleaseKernel", kernel)
    check("clReleaseProgram", program)
    check("clReleaseCommandQueue", world.queue)
    check("clReleaseContext", world.context)
    assert set(table.live) == before
