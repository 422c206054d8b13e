"""Buffers, queues and events through pyopencl and the ICD loader."""

import threading
from collections.abc import Iterator

import numpy as np
import pyopencl as cl
import pytest


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


def test_all_queries_that_pyopencl_knows_have_results(context: cl.Context) -> None:
    (device,) = context.devices
    named = {name for name in dir(cl.device_info) if name.isupper()}
    refused = set()
    for name in named:
        if name.endswith(("_NV", "_AMD", "_EXT", "_INTEL", "_ARM", "_QCOM", "_KHR")):
            continue
        try:
            device.get_info(getattr(cl.device_info, name))
        except cl.LogicError:
            refused.add(name)
    # Weft has not the extensions of the first two; pyopencl offers 4 bytes for the 8 of the last.
    assert refused <= {"SPIR_VERSIONS", "PRINTF_BUFFER_SIZE"}
    assert device.type == cl.device_type.CPU
    assert device.platform.name == "Weft"


def test_copies_move_arrays_both_ways(context: cl.Context, queue: cl.CommandQueue) -> None:
    data = np.random.default_rng(1).random(100_003)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, data.nbytes)
    cl.enqueue_copy(queue, buffer, data)
    back = np.empty_like(data)
    cl.enqueue_copy(queue, back, buffer)
    assert (back == data).all()
    second = cl.Buffer(context, cl.mem_flags.READ_WRITE, data.nbytes)
    cl.enqueue_copy(queue, second, buffer)
    back[:] = 0
    cl.enqueue_copy(queue, back, second)
    assert (back == data).all()


def test_rectangles_of_arrays(context: cl.Context, queue: cl.CommandQueue) -> None:
    data = np.arange(64 * 48, dtype=np.int32).reshape(64, 48)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
    part = np.empty((5, 7), np.int32)
    cl.enqueue_copy(
        queue,
        part,
        buffer,
        buffer_origin=(4 * 4, 3),
        host_origin=(0, 0),
        region=(7 * 4, 5),
        buffer_pitches=(48 * 4,),
        host_pitches=(7 * 4,),
    )
    assert (part == data[3:8, 4:11]).all()


def test_mapping_writes_through(context: cl.Context, queue: cl.CommandQueue) -> None:
    buffer = cl.Buffer(context, cl.mem_flags.ALLOC_HOST_PTR, 400)
    array, event = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, (100,), np.float32)
    event.wait()
    array[:] = np.arange(100)
    array.base.release(queue)
    back = np.empty(100, np.float32)
    cl.enqueue_copy(queue, back, buffer)
    assert (back == np.arange(100)).all()


def test_sub_buffers_and_fills(context: cl.Context, queue: cl.CommandQueue) -> None:
    data = np.empty(256, np.uint8)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    cl.enqueue_fill_buffer(queue, buffer, np.uint32(0), 0, 256)
    cl.enqueue_fill_buffer(queue, buffer[128:256], np.uint8(7), 0, 64)
    cl.enqueue_copy(queue, data, buffer)
    assert (data == np.repeat([0, 7, 0], [128, 64, 64])).all()
    with pytest.raises(cl.RuntimeError, match="MISALIGNED_SUB_BUFFER_OFFSET"):
        buffer[5:10]


def test_events_carry_times_and_callbacks(context: cl.Context, queue: cl.CommandQueue) -> None:
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1 << 20)
    gate = cl.UserEvent(context)
    event = cl.enqueue_fill_buffer(queue, buffer, np.uint32(1), 0, 1 << 20, wait_for=[gate])
    called = threading.Event()
    event.set_callback(cl.command_execution_status.COMPLETE, lambda status: called.set())
    assert event.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert called.wait(10)
    profile = event.profile
    assert 0 < profile.queued <= profile.submit <= profile.start <= profile.end


def test_errors_arrive_as_exceptions(context: cl.Context, queue: cl.CommandQueue) -> None:
    with pytest.raises(cl.LogicError, match="INVALID_BUFFER_SIZE"):
        cl.Buffer(context, cl.mem_flags.READ_WRITE, 0)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 16)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.enqueue_copy(queue, np.empty(17, np.uint8), buffer)


def test_objects_go_in_any_order(context: cl.Context) -> None:
    own = cl.Context(context.devices)
    queue = cl.CommandQueue(own)
    buffer = cl.Buffer(own, cl.mem_flags.READ_WRITE, 64)
    event = cl.enqueue_fill_buffer(queue, buffer, np.uint8(1), 0, 64)
    del own, buffer
    assert queue.context.devices == context.devices
    del queue
    event.wait()
    assert event.command_queue.device == context.devices[0]


_BLOCKS_OF_IMAGES = """
__attribute__((intel_reqd_sub_group_size(8)))
kernel void k(read_only image2d_t from, write_only image2d_t to, global uint2 *r, global uchar4 *s) {
    size_t i = get_global_id(0);
    r[i] = intel_sub_group_block_read2(from, (int2)(8, 1));
    s[i] = intel_sub_group_block_read_uc4(from, (int2)(3, 0));
    intel_sub_group_block_write2(to, (int2)(-8, 2), (uint2)(i + 1, i + 101));
}
"""


def test_sub_groups_read_and_write_the_bytes_of_images(context: cl.Context, queue: cl.CommandQueue) -> None:
    format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    flags, columns, shape = cl.mem_flags, np.arange(8), (6, 3)
    pixels = np.arange(6 * 3, dtype=np.uint32).reshape(3, 6) * 0x01020304 % 0xFFFFFFFB
    copied = flags.READ_WRITE | flags.COPY_HOST_PTR
    source = cl.create_image(context, copied, format, shape=shape, hostbuf=pixels)
    before = np.full((3, 6), 7, np.uint32)
    target = cl.create_image(context, copied, format, shape=shape, hostbuf=before)
    words, bytes_ = np.zeros((8, 2), np.uint32), np.zeros((8, 4), np.uint8)
    r, s = (cl.Buffer(context, flags.WRITE_ONLY, a.nbytes) for a in (words, bytes_))
    cl.Program(context, _BLOCKS_OF_IMAGES).build().k(queue, (8,), (8,), source, target, r, s)
    cl.enqueue_copy(queue, words, r)
    cl.enqueue_copy(queue, bytes_, s)
    written = np.empty_like(before)
    cl.enqueue_copy(queue, written, target, origin=(0, 0), region=shape)
    assert (words == pixels[1:3, np.minimum(columns + 2, 5)].T).all()  # beside the image is its edge
    rows = pixels.view(np.uint8)
    assert (bytes_ == rows[[0, 1, 2, 2]][:, 3:11].T).all()
    before[2] = columns[2:] + 1  # the next row is below the image
    assert (written == before).all()
