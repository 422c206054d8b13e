"""Many threads at once, and memory that is released while commands use it."""

import random
import threading

import numpy as np
from api_support import NULL, World, address, call, check, create, ffi, handles, number
from fake_compiler import FakeCompiler

from weft.api import constants as c
from weft.api import handles as table


def test_threads_with_their_own_queues_do_not_disturb_each_other() -> None:
    world = World()
    problems: list[str] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        properties = chance.choice((0, c.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        queue = create("clCreateCommandQueue", world.context, world.device, properties)
        expected = np.zeros(256, np.uint8)
        buffer = world.filled(expected.tobytes())
        last = 0
        pattern = ffi.new("uint8_t[1]")
        for _ in range(150):
            value, start, length = chance.randrange(256), chance.randrange(128), chance.randrange(1, 128)
            pattern[0] = value
            event = handles(0)
            waits = (1, handles(last)) if last else (0, NULL)
            arguments = (buffer, address(pattern), 1, start, length, *waits, event)
            check("clEnqueueFillBuffer", queue, *arguments)
            expected[start : start + length] = value
            if last:
                check("clReleaseEvent", last)
            last = event[0]
            check("clReleaseMemObject", world.buffer(64))
        check("clFinish", queue)
        check("clReleaseEvent", last)
        if world.contents(buffer) != expected.tobytes():
            problems.append(f"thread {seed}: wrong bytes")
        check("clReleaseMemObject", buffer)
        check("clReleaseCommandQueue", queue)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert problems == []
    world.close()
    assert call("clRetainContext", world.context) == c.CL_INVALID_CONTEXT


def test_counts_are_right_when_threads_retain_and_release() -> None:
    world = World()
    buffer = world.buffer(64)

    def work() -> None:
        for _ in range(500):
            check("clRetainMemObject", buffer)
            check("clReleaseMemObject", buffer)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_REFERENCE_COUNT) == 1
    check("clReleaseMemObject", buffer)
    world.close()


def test_memory_released_in_use_is_kept_until_the_commands_end(world: World) -> None:
    freed: list[int] = []
    device = table.live[world.device].native.memory
    gate = world.user_event()
    pattern = ffi.new("char[]", b"\1")
    buffers = [world.buffer(4096) for _ in range(20)]
    addresses = [table.live[buffer].address for buffer in buffers]
    original = type(device).free
    type(device).free = lambda self, at: (freed.append(at), original(self, at))[1]
    try:
        for buffer in buffers:
            arguments = (buffer, address(pattern), 1, 0, 4096, 1, handles(gate), NULL)
            check("clEnqueueFillBuffer", world.queue, *arguments)
            check("clReleaseMemObject", buffer)
            assert call("clRetainMemObject", buffer) == c.CL_INVALID_MEM_OBJECT
        assert freed == []
        check("clSetUserEventStatus", gate, c.CL_COMPLETE)
        check("clFinish", world.queue)
        assert sorted(freed) == sorted(addresses)
    finally:
        type(device).free = original


def test_code_outlives_its_program_while_it_runs(world: World, compiler: FakeCompiler) -> None:
    source = ffi.new("char[]", b"visit")
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [source]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    kernel = create("clCreateKernel", program, ffi.new("char[]", b"visit"))
    seen = world.filled(bytes(64))
    place, size = handles(seen), ffi.new("size_t[]", [64])
    check("clSetKernelArg", kernel, 0, 8, address(place))
    gate = world.user_event()
    one = ffi.new("size_t[]", [1])
    arguments = (1, NULL, size, one, 1, handles(gate), NULL)
    check("clEnqueueNDRangeKernel", world.queue, kernel, *arguments)
    target = table.live[program]
    check("clReleaseKernel", kernel)
    check("clReleaseProgram", program)
    assert target.builds
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    assert world.contents(seen) == b"\1" * 64
    check("clFinish", world.queue)
    assert target.builds == {}
