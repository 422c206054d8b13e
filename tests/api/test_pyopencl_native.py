"""Launches, waits and releases that the native side does by itself, and where they meet Python."""

import gc
import threading
import time
from collections.abc import Iterator

import numpy as np
import pyopencl as cl
import pytest

from weft.api import handles
from weft.runtime.event import Event

SOURCE = """
__kernel void mark(__global uint *out, uint value)
{
    size_t row = get_global_id(2) * get_global_size(1) + get_global_id(1);
    size_t i = row * get_global_size(0) + get_global_id(0);
    out[i] += value + 1000 * get_local_size(0);
}

__kernel void sized(__global uint *out, __local uint *a, __local uint *b)
{
    b[get_local_id(0)] = get_global_id(0);
    a[get_local_id(0)] = 7;
    out[get_global_id(0)] = b[get_local_id(0)];
}
"""


@pytest.fixture(scope="module")
def context() -> cl.Context:
    """A context on the Weft platform."""
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return cl.Context(platform.get_devices())


@pytest.fixture
def queue(context: cl.Context) -> Iterator[cl.CommandQueue]:
    """A queue with profiling."""
    made = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    yield made
    made.finish()


@pytest.fixture(scope="module")
def program(context: cl.Context) -> cl.Program:
    """The program above."""
    return cl.Program(context, SOURCE).build()


@pytest.fixture
def out(context: cl.Context) -> cl.Buffer:
    """A buffer of zeros."""
    return cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(64, np.uint32))


@pytest.fixture
def kernel(program: cl.Program, out: cl.Buffer) -> cl.Kernel:
    """A kernel with its arguments set."""
    made = cl.Kernel(program, "mark")
    made.set_args(out, np.uint32(1))
    return made


def contents(queue: cl.CommandQueue, buffer: cl.Buffer) -> np.ndarray:
    """What a buffer holds."""
    array = np.empty(64, np.uint32)
    cl.enqueue_copy(queue, array, buffer)
    return array


def launch(queue: cl.CommandQueue, kernel: cl.Kernel, *sizes: object, **more: object) -> cl.Event:
    """Enqueue a kernel."""
    return cl.enqueue_nd_range_kernel(queue, kernel, *sizes, **more)


def test_repeated_launches_do_not_reach_python(
    queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer
) -> None:
    first = launch(queue, kernel, (64,), (8,))
    assert isinstance(handles.live[first.int_ptr], Event)
    later = [launch(queue, kernel, (64,), (8,)) for _ in range(5)]
    assert not any(event.int_ptr in handles.live for event in later)
    assert (contents(queue, out) == 6 * 8001).all()


def test_python_adopts_an_event_when_it_waits_for_it(
    context: cl.Context, queue: cl.CommandQueue, kernel: cl.Kernel
) -> None:
    launch(queue, kernel, (64,), (8,))
    event = launch(queue, kernel, (64,), (8,))
    target = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    for met in (False, True):
        event.wait()
        assert event.command_type == cl.command_type.NDRANGE_KERNEL
        assert event.command_execution_status == cl.command_execution_status.COMPLETE
        assert event.command_queue == queue
        assert event.reference_count == 1
        assert 0 < event.profile.queued <= event.profile.end
        assert isinstance(handles.live.get(event.int_ptr), Event) == met
        cl.enqueue_migrate_mem_objects(queue, [target], wait_for=[event])
    handle = event.int_ptr
    del event
    # In a program with several threads the thread of notifications deletes it.
    end = time.monotonic() + 10
    while handle in handles.live and time.monotonic() < end:
        time.sleep(0.01)
    assert handle not in handles.live


def test_waiting_for_events_that_python_has_and_has_not_met(
    context: cl.Context, queue: cl.CommandQueue, kernel: cl.Kernel
) -> None:
    events = [launch(queue, kernel, (64,), (8,)) for _ in range(3)]
    cl.wait_for_events(events)
    cl.wait_for_events(events[1:])
    assert all(e.command_execution_status == cl.command_execution_status.COMPLETE for e in events)
    gate = cl.UserEvent(context)
    cl.enqueue_barrier(queue, wait_for=[gate])
    late = launch(queue, kernel, (64,), (8,))
    gate.set_status(-5)
    late.wait()
    other = cl.UserEvent(cl.Context(context.devices))
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        cl.wait_for_events([launch(queue, kernel, (64,), (8,)), other])


def test_events_of_native_launches_work_in_wait_lists(
    context: cl.Context, queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer
) -> None:
    launch(queue, kernel, (64,), (8,))
    other = cl.CommandQueue(context)
    event = launch(queue, kernel, (64,), (8,))
    array = np.empty(64, np.uint32)
    cl.enqueue_copy(other, array, out, wait_for=[event])
    assert (array == 2 * 8001).all()


@pytest.mark.parametrize(
    "sizes", [((64,), None), ((16, 4), (4, 2)), ((4, 4, 4), (2, 1, 4)), ((4, 4, 4), None)]
)
def test_shapes_are_distinguished(
    queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer, sizes: tuple
) -> None:
    for _ in range(3):
        launch(queue, kernel, (64,), (32,))
        launch(queue, kernel, *sizes)
    values = contents(queue, out)
    local = (values[0] - 6) // 3000 - 32
    assert (values == values[0]).all()
    assert sizes[1] is None or local == sizes[1][0]


def test_arguments_set_between_launches_count(
    queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer
) -> None:
    for value in (1, 10, 100):
        kernel.set_arg(1, np.uint32(value))
        launch(queue, kernel, (64,), (8,))
    assert (contents(queue, out) == 111 + 24000).all()


def test_released_memory_stops_native_launches(
    context: cl.Context, queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer
) -> None:
    launch(queue, kernel, (64,), (8,))
    launch(queue, kernel, (64,), (8,))
    cl.Buffer(context, cl.mem_flags.READ_WRITE, 64).release()
    launch(queue, kernel, (64,), (8,))
    assert (contents(queue, out) == 3 * 8001).all()
    out.release()
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL_ARGS"):
        launch(queue, kernel, (64,), (8,))


def test_wrong_sizes_are_still_refused(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    for _ in range(2):
        launch(queue, kernel, (64,), (8,))
        launch(queue, kernel, (64,), None)
        for local in ((7,), (0,), (128,)):
            with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
                launch(queue, kernel, (64,), local)


def test_changed_local_memory_gets_a_new_layout(
    queue: cl.CommandQueue, program: cl.Program, out: cl.Buffer
) -> None:
    kernel = cl.Kernel(program, "sized")
    for items in (8, 64, 16):
        kernel.set_args(out, cl.LocalMemory(4 * items), cl.LocalMemory(4 * items))
        for _ in range(2):
            launch(queue, kernel, (64,), (items,))
            assert (contents(queue, out) == np.arange(64)).all()


def test_queue_lives_as_long_as_events_that_python_has_not_met(
    context: cl.Context, kernel: cl.Kernel
) -> None:
    queue = cl.CommandQueue(context)
    launch(queue, kernel, (64,), (8,))
    event, second = launch(queue, kernel, (64,), (8,)), launch(queue, kernel, (64,), (8,))
    handle = queue.int_ptr
    queue.finish()
    del queue
    gc.collect()
    assert handle in handles.live
    assert event.command_queue.int_ptr == handle
    del event
    gc.collect()
    assert handle in handles.live
    del second
    gc.collect()
    assert handle not in handles.live


def test_threads_use_the_same_events(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    launch(queue, kernel, (64,), (8,))
    events = [launch(queue, kernel, (64,), (8,)) for _ in range(200)]
    problems: list[Exception] = []

    def look() -> None:
        try:
            for event in events:
                assert event.command_type == cl.command_type.NDRANGE_KERNEL
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert problems == []


def test_many_shapes_do_not_end_the_fast_way(
    queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer
) -> None:
    for _ in range(3):
        for size in range(1, 64):
            launch(queue, kernel, (size,), (1,))
    expected = np.array([3 * 1001 * (63 - i) for i in range(64)], np.uint32)
    assert (contents(queue, out) == expected).all()


def test_events_are_created_and_released_without_growth(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    before = len(handles.live)
    for _ in range(20_000):
        launch(queue, kernel, (64,), (64,))
    queue.finish()
    gc.collect()
    assert len(handles.live) <= before + 2
