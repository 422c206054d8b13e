"""Command queues, events, markers and barriers."""

import threading
import time

import pytest
from api_support import (
    NULL,
    World,
    address,
    attempt,
    call,
    check,
    create,
    ffi,
    handles,
    number,
    query,
    refused,
)

from weft.api import constants as c

OUT_OF_ORDER = c.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
PROFILING = c.CL_QUEUE_PROFILING_ENABLE


@pytest.mark.parametrize("properties", [0, OUT_OF_ORDER, PROFILING, OUT_OF_ORDER | PROFILING])
def test_queue_reports_its_properties(world: World, properties: int) -> None:
    queue = create("clCreateCommandQueue", world.context, world.device, properties)
    assert number("clGetCommandQueueInfo", queue, c.CL_QUEUE_PROPERTIES) == properties
    assert number("clGetCommandQueueInfo", queue, c.CL_QUEUE_CONTEXT) == world.context
    assert number("clGetCommandQueueInfo", queue, c.CL_QUEUE_DEVICE) == world.device
    assert query("clGetCommandQueueInfo", queue, c.CL_QUEUE_PROPERTIES_ARRAY) == b""
    check("clReleaseCommandQueue", queue)


def test_queue_with_properties_keeps_its_list(world: World) -> None:
    values = ffi.new("uint64_t[]", [c.CL_QUEUE_PROPERTIES, PROFILING, 0])
    queue = create("clCreateCommandQueueWithProperties", world.context, world.device, values)
    assert number("clGetCommandQueueInfo", queue, c.CL_QUEUE_PROPERTIES) == PROFILING
    assert query("clGetCommandQueueInfo", queue, c.CL_QUEUE_PROPERTIES_ARRAY) == bytes(ffi.buffer(values))
    size = call("clGetCommandQueueInfo", queue, c.CL_QUEUE_SIZE, 0, 0, NULL)
    assert size == c.CL_INVALID_COMMAND_QUEUE
    hints = ffi.new("uint64_t[]", [c.CL_QUEUE_PRIORITY_KHR, 4, c.CL_QUEUE_THROTTLE_KHR, 1, 0])
    hinted = create("clCreateCommandQueueWithProperties", world.context, world.device, hints)
    assert query("clGetCommandQueueInfo", hinted, c.CL_QUEUE_PROPERTIES_ARRAY) == bytes(ffi.buffer(hints))
    plain = create("clCreateCommandQueueWithProperties", world.context, world.device, NULL)
    assert number("clGetCommandQueueInfo", plain, c.CL_QUEUE_PROPERTIES) == 0


def test_queue_creation_checks_its_parameters(world: World) -> None:
    for context, device, properties, code in (
        (0, world.device, 0, c.CL_INVALID_CONTEXT),
        (world.context, 0, 0, c.CL_INVALID_DEVICE),
        (world.context, world.context, 0, c.CL_INVALID_DEVICE),
        (world.context, world.device, 1 << 20, c.CL_INVALID_VALUE),
        (world.context, world.device, c.CL_QUEUE_ON_DEVICE | OUT_OF_ORDER, c.CL_INVALID_QUEUE_PROPERTIES),
    ):
        assert refused("clCreateCommandQueue", context, device, properties) == code
        values = ffi.new("uint64_t[]", [c.CL_QUEUE_PROPERTIES, properties, 0])
        assert refused("clCreateCommandQueueWithProperties", context, device, values) == code
    for name, code in (
        (0xBAD, c.CL_INVALID_VALUE),
        (c.CL_QUEUE_PRIORITY_KHR, c.CL_INVALID_VALUE),
        (c.CL_QUEUE_THROTTLE_KHR, c.CL_INVALID_VALUE),
        (c.CL_QUEUE_SIZE, c.CL_INVALID_QUEUE_PROPERTIES),
    ):
        values = ffi.new("uint64_t[]", [name, 64, 0])
        given = refused("clCreateCommandQueueWithProperties", world.context, world.device, values)
        assert given == code


def test_queue_properties_cannot_be_changed(world: World) -> None:
    old = ffi.new("uint64_t *", 5)
    code = call("clSetCommandQueueProperty", world.queue, PROFILING, 1, old)
    assert code == c.CL_INVALID_OPERATION
    assert old[0] == 0
    code = call("clSetDefaultDeviceCommandQueue", world.context, world.device, world.queue)
    assert code == c.CL_INVALID_OPERATION


@pytest.mark.parametrize("name", ["clFlush", "clFinish", "clRetainCommandQueue", "clReleaseCommandQueue"])
def test_wrong_queue_handles_are_invalid(world: World, name: str) -> None:
    for handle in (0, 99, world.context, world.device):
        assert call(name, handle) == c.CL_INVALID_COMMAND_QUEUE


def _marker(world: World, *waits: int) -> int:
    event = handles(0)
    count = len(waits)
    check("clEnqueueMarkerWithWaitList", world.queue, count, handles(*waits) if count else NULL, event)
    return event[0]


def test_event_tells_about_itself(world: World) -> None:
    event = _marker(world)
    check("clFinish", world.queue)
    expected = {
        c.CL_EVENT_COMMAND_QUEUE: world.queue,
        c.CL_EVENT_CONTEXT: world.context,
        c.CL_EVENT_COMMAND_TYPE: c.CL_COMMAND_MARKER,
        c.CL_EVENT_COMMAND_EXECUTION_STATUS: c.CL_COMPLETE,
        c.CL_EVENT_REFERENCE_COUNT: 1,
    }
    assert {param: number("clGetEventInfo", event, param) for param in expected} == expected
    user = world.user_event()
    assert number("clGetEventInfo", user, c.CL_EVENT_COMMAND_QUEUE) == 0
    assert number("clGetEventInfo", user, c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_USER
    assert world.status(user) == c.CL_SUBMITTED
    check("clSetUserEventStatus", user, c.CL_COMPLETE)


@pytest.mark.parametrize(
    ("name", "tail", "kind"),
    [
        ("clEnqueueReadBuffer", lambda b, at: (b, 0, 0, 8, at), c.CL_COMMAND_READ_BUFFER),
        ("clEnqueueWriteBuffer", lambda b, at: (b, 0, 0, 8, at), c.CL_COMMAND_WRITE_BUFFER),
        ("clEnqueueCopyBuffer", lambda b, at: (b, b, 0, 8, 8), c.CL_COMMAND_COPY_BUFFER),
        ("clEnqueueFillBuffer", lambda b, at: (b, at, 4, 0, 8), c.CL_COMMAND_FILL_BUFFER),
        ("clEnqueueBarrierWithWaitList", lambda b, at: (), c.CL_COMMAND_BARRIER),
    ],
)
def test_commands_wait_for_their_wait_list(world: World, name: str, tail: object, kind: int) -> None:
    buffer = world.buffer(64)
    place = ffi.new("char[64]")
    gate, event = world.user_event(), handles(0)
    check(name, world.queue, *tail(buffer, address(place)), 1, handles(gate), event)
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == kind
    check("clFlush", world.queue)
    assert world.status(event[0]) > c.CL_COMPLETE
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clWaitForEvents", 1, event)
    assert world.status(event[0]) == c.CL_COMPLETE


def test_commands_of_an_in_order_queue_wait_for_each_other(world: World) -> None:
    buffer = world.filled(bytes(4))
    gate = world.user_event()
    for value, waits in ((b"\1", handles(gate)), (b"\2", NULL)):
        place = ffi.new("char[]", value)
        count = 1 if waits is not NULL else 0
        check("clEnqueueFillBuffer", world.queue, buffer, address(place), 1, 0, 4, count, waits, NULL)
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    assert world.contents(buffer) == b"\2\2\2\2"


def test_out_of_order_queue_lets_independent_commands_pass(world: World) -> None:
    queue = create("clCreateCommandQueue", world.context, world.device, OUT_OF_ORDER)
    buffer = world.filled(bytes(4))
    gate = world.user_event()
    place = ffi.new("char[]", b"\1")
    check("clEnqueueFillBuffer", queue, buffer, address(place), 1, 0, 4, 1, handles(gate), NULL)
    out = ffi.new("char[4]", b"zzzz")
    # Both would hang if they waited for the command that the gate holds back.
    check("clEnqueueReadBuffer", queue, buffer, 1, 0, 4, address(out), 0, NULL, NULL)
    assert bytes(ffi.buffer(out)) == bytes(4)
    create("clEnqueueMapBuffer", queue, buffer, 1, c.CL_MAP_READ, 0, 4, 0, NULL, NULL)
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clFinish", queue)
    assert world.contents(buffer) == b"\1\1\1\1"


def test_failure_of_a_user_event_reaches_its_dependents(world: World) -> None:
    gate = world.user_event()
    first = _marker(world, gate)
    check("clSetUserEventStatus", gate, -7)
    events = handles(first)
    assert call("clWaitForEvents", 1, events) == c.CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    assert world.status(first) < 0
    assert world.status(gate) == -7


def test_blocking_command_reports_a_failed_wait_list(world: World) -> None:
    buffer = world.buffer(8)
    gate = world.user_event()
    check("clSetUserEventStatus", gate, -1)
    place = ffi.new("char[8]")
    code = call("clEnqueueReadBuffer", world.queue, buffer, 1, 0, 8, address(place), 1, handles(gate), NULL)
    assert code == c.CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST


def test_user_event_status_is_set_once(world: World) -> None:
    user = world.user_event()
    for status in (c.CL_QUEUED, c.CL_RUNNING, 7):
        assert call("clSetUserEventStatus", user, status) == c.CL_INVALID_VALUE
    check("clSetUserEventStatus", user, c.CL_COMPLETE)
    assert call("clSetUserEventStatus", user, c.CL_COMPLETE) == c.CL_INVALID_OPERATION
    assert call("clSetUserEventStatus", _marker(world), c.CL_COMPLETE) == c.CL_INVALID_EVENT
    assert refused("clCreateUserEvent", 0) == c.CL_INVALID_CONTEXT


def test_releasing_an_unset_user_event_fails_its_dependents(world: World) -> None:
    user = world.user_event()
    waiting = _marker(world, user)
    check("clReleaseEvent", user)
    assert call("clWaitForEvents", 1, handles(waiting)) == c.CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST


def test_waiting_checks_the_events(world: World) -> None:
    other = World()
    foreign = other.user_event()
    check("clSetUserEventStatus", foreign, 0)
    event = _marker(world)
    for count, events, code in (
        (0, NULL, c.CL_INVALID_VALUE),
        (1, NULL, c.CL_INVALID_VALUE),
        (0, handles(event), c.CL_INVALID_VALUE),
        (1, handles(world.queue), c.CL_INVALID_EVENT),
        (2, handles(event, foreign), c.CL_INVALID_CONTEXT),
        (2, handles(event, event), c.CL_SUCCESS),
    ):
        assert call("clWaitForEvents", count, events) == code
    other.close()


def test_event_callbacks_are_called_with_event_and_status(world: World) -> None:
    seen: list[tuple[int, int, int]] = []
    done = threading.Event()

    @ffi.callback("void(uintptr_t, int, void *)")
    def notify(event: int, status: int, data: object) -> None:
        seen.append((event, status, int(ffi.cast("uintptr_t", data))))
        if len(seen) == 3:
            done.set()

    gate = world.user_event()
    event = _marker(world, gate)
    at = address(notify)
    for status in (c.CL_SUBMITTED, c.CL_RUNNING, c.CL_COMPLETE):
        check("clSetEventCallback", event, status, at, status + 10)
    check("clReleaseEvent", event)
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    assert done.wait(10)
    assert sorted(seen) == [(event, status, status + 10) for status in (0, 1, 2)]
    for _ in range(1000):
        if call("clRetainEvent", event) == c.CL_INVALID_EVENT:
            break
        check("clReleaseEvent", event)
        time.sleep(0.001)
    else:
        pytest.fail("the event outlived its last callback")


def test_event_callbacks_check_their_parameters(world: World) -> None:
    @ffi.callback("void(uintptr_t, int, void *)")
    def notify(event: int, status: int, data: object) -> None:
        """Never called."""

    event = _marker(world)
    assert call("clSetEventCallback", 0, 0, address(notify), 0) == c.CL_INVALID_EVENT
    assert call("clSetEventCallback", event, 0, 0, 0) == c.CL_INVALID_VALUE
    for status in (c.CL_QUEUED, 17, -1):
        assert call("clSetEventCallback", event, status, address(notify), 0) == c.CL_INVALID_VALUE


def test_profiling_times_are_in_order() -> None:
    world = World(PROFILING)
    event = _marker(world)
    code = call("clGetEventProfilingInfo", world.user_event(), c.CL_PROFILING_COMMAND_START, 0, 0, NULL)
    assert code == c.CL_PROFILING_INFO_NOT_AVAILABLE
    check("clFinish", world.queue)
    params = (
        c.CL_PROFILING_COMMAND_QUEUED,
        c.CL_PROFILING_COMMAND_SUBMIT,
        c.CL_PROFILING_COMMAND_START,
        c.CL_PROFILING_COMMAND_END,
        c.CL_PROFILING_COMMAND_COMPLETE,
    )
    times = [number("clGetEventProfilingInfo", event, param) for param in params]
    assert times == sorted(times)
    assert times[0] > 0
    assert call("clGetEventProfilingInfo", event, 0xBAD, 0, 0, NULL) == c.CL_INVALID_VALUE
    world.close()


def test_profiling_is_not_available_without_the_property(world: World) -> None:
    event = _marker(world)
    check("clFinish", world.queue)
    code = call("clGetEventProfilingInfo", event, c.CL_PROFILING_COMMAND_END, 0, 0, NULL)
    assert code == c.CL_PROFILING_INFO_NOT_AVAILABLE


def test_old_markers_and_barriers(world: World) -> None:
    event = handles(0)
    check("clEnqueueMarker", world.queue, event)
    check("clEnqueueBarrier", world.queue)
    check("clEnqueueWaitForEvents", world.queue, 1, event)
    check("clFinish", world.queue)
    assert call("clEnqueueMarker", world.queue, NULL) == c.CL_INVALID_VALUE
    assert call("clEnqueueWaitForEvents", world.queue, 0, NULL) == c.CL_INVALID_VALUE
    assert call("clEnqueueWaitForEvents", world.queue, 1, handles(1)) == c.CL_INVALID_EVENT
    assert call("clEnqueueBarrier", 0) == c.CL_INVALID_COMMAND_QUEUE


def test_error_callback_of_the_context_is_told() -> None:
    told: list[bytes] = []

    @ffi.callback("void(char *, void *, size_t, void *)")
    def notify(message: object, private: object, size: int, data: object) -> None:
        told.append(ffi.string(message))

    from api_support import devices

    context = create("clCreateContext", NULL, 1, handles(devices()[0]), address(notify), 0)
    attempt("clCreateBuffer", context, 0, 0, 0)
    assert len(told) == 1
    assert told[0].startswith(b"clCreateBuffer: CL_INVALID_BUFFER_SIZE: ")
    check("clReleaseContext", context)


def test_failing_calls_are_printed_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call("clFinish", 0)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    call("clFinish", 0)
    assert "weft: clFinish: CL_INVALID_COMMAND_QUEUE: the command queue is NULL" in capsys.readouterr().err
    call("clGetDeviceIDs", 0, c.CL_DEVICE_TYPE_GPU, 0, NULL, ffi.new("uint32_t *"))
    assert "CL_DEVICE_NOT_FOUND" in capsys.readouterr().err
