"""A client's program on the device `isolated`, alone and beside `pthread`, in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

from weft.device import isolated

pytestmark = pytest.mark.skipif(
    not isolated.is_available(), reason="there is no device server for this processor"
)

PREAMBLE = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, pyopencl as cl
(platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
devices = platform.get_devices()
(device,) = [d for d in devices if d.name.startswith("isolated")]
context = cl.Context(devices)
queue = cl.CommandQueue(context, device)
flags = cl.mem_flags
SOURCE = '''
kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
kernel void show(global int *a) { printf("%d %.3f %s %.40f\\\\n", a[0], 0.5f, "text", 1.0f / 3); }
kernel void bad(global int *a) { *(global int *)64 = a[0]; }
kernel void scan(global int *a, local int *b) {
    int i = get_local_id(0); b[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = b[get_local_size(0) - 1 - i];
}
kernel void flip(read_only image2d_t from, write_only image2d_t to) {
    int x = get_global_id(0), y = get_global_id(1);
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    write_imageui(to, (int2)(y, x), read_imageui(from, nearest, (int2)(x, y)));
}
'''
program = cl.Program(context, SOURCE).build()
twice, show, bad, scan, flip = (cl.Kernel(program, n) for n in ("twice", "show", "bad", "scan", "flip"))
"""


def run(body: str, **settings: str) -> tuple[str, str]:
    """What a program prints on standard output and standard error."""
    environment = {**os.environ, "WEFT_DEVICES": "isolated", "PYOPENCL_NO_CACHE": "1", **settings}
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(body)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done
    return done.stdout, done.stderr


@pytest.mark.parametrize("kinds", ["isolated", "pthread,isolated"])
def test_commands_of_all_kinds(kinds: str) -> None:
    said, errors = run(
        """
        data = np.arange(1000, dtype=np.int32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        for one in devices:
            twice(cl.CommandQueue(context, one), (1000,), None, buffer).wait()
        found = np.empty_like(data)
        cl.enqueue_copy(queue, found, buffer)
        assert (found == data * 2 ** len(devices)).all()
        mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, (1000,), np.int32)
        mapped[:] = data
        mapped.base.release(queue)
        scan(queue, (50,), (50,), buffer, cl.LocalMemory(200))
        cl.enqueue_copy(queue, found, buffer)
        assert (found[:50] == data[49::-1]).all() and (found[50:] == data[50:]).all()
        show(queue, (1,), None, buffer)
        pixels = np.random.default_rng(1).integers(0, 255, (32, 32, 4)).astype(np.uint8)
        form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
        first = cl.Image(context, flags.COPY_HOST_PTR, form, (32, 32), hostbuf=pixels)
        second = cl.Image(context, 0, form, (32, 32))
        flip(queue, (32, 32), None, first, second)
        turned = np.empty_like(pixels)
        cl.enqueue_copy(queue, turned, second, origin=(0, 0), region=(32, 32))
        assert (turned == pixels.transpose(1, 0, 2)).all()
        """,
        WEFT_DEVICES=kinds,
    )
    assert said == "49 0.500 text 0.3333333432674407958984375000000000000000\n"
    assert errors == ""


def test_wait_after_a_fault_is_an_error_once() -> None:
    said, errors = run("""
        data = np.arange(64, dtype=np.int32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        for wait in (queue.finish, lambda: cl.enqueue_copy(queue, data, buffer)):
            bad(queue, (64,), None, buffer)
            for _ in range(2):
                try:
                    wait()
                    print("fine")
                except cl.RuntimeError as error:
                    print(cl.status_code.to_string(error.code))
        assert (data == np.arange(64)).all()
    """)
    assert said == "OUT_OF_RESOURCES\nfine\nEXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST\nfine\n"
    assert errors.count("kernel 'bad': invalid memory access") == 2


def test_memory_of_the_client_is_copied_where_it_is_mapped() -> None:
    run("""
        data = np.arange(1000, dtype=np.int32)
        buffer = cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=data)
        twice(queue, (1000,), None, buffer).wait()
        assert (data == np.arange(1000)).all()
        mapped, _ = cl.enqueue_map_buffer(
            queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE, 400, (100,), np.int32
        )
        assert mapped.ctypes.data == data.ctypes.data + 400
        assert (data[100:200] == 2 * np.arange(100, 200)).all() and data[99] == 99 and data[200] == 200
        mapped[:] = -1
        read, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 400, (1,), np.int32)
        mapped[:] = -1
        mapped.base.release(queue)
        found = np.empty_like(data)
        cl.enqueue_copy(queue, found, buffer)
        expected = 2 * np.arange(1000)
        expected[100:200] = -1
        assert (found == expected).all()
        read.base.release(queue)
    """)


def test_shared_virtual_memory_has_the_addresses_of_the_host() -> None:
    run("""
        assert device.svm_capabilities == 1 | 2 | 8
        source = "kernel void follow(global int *a) { **(global int *global *)a += 1; }"
        follow = cl.Kernel(cl.Program(context, source).build(), "follow")
        memory = cl.SVM(cl.csvm_empty(context, (64,), np.uint64))
        with memory.map_rw(queue) as words:
            words[:] = 0
            words[0] = words.ctypes.data + 8 * 5
            words[5] = 41
        follow(queue, (1,), None, memory)
        with memory.map_ro(queue) as words:
            assert words[5] == 42
    """)


def test_failure_is_an_event_status_and_the_queue_continues() -> None:
    said, errors = run("""
        data = np.arange(1000, dtype=np.int32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        event = bad(queue, (1000,), None, buffer)
        later = twice(queue, (1000,), None, buffer)
        later.wait()
        print(event.command_execution_status)
        found = np.empty_like(data)
        try:
            queue.finish()
        except cl.RuntimeError:
            cl.enqueue_copy(queue, found, buffer)
        assert (found == 2 * data).all()
    """)
    assert said == "-5\n"
    assert errors.startswith(
        "weft: kernel 'bad': invalid memory access at 0x40 by work-items with global ids ["
    )
    assert errors.count("\n") == 1


def test_queries_are_true_of_the_device() -> None:
    run(
        """
        assert device.global_mem_size == 1 << 30
        assert device.max_mem_alloc_size <= 1 << 30
        assert device.partition_max_sub_devices == 0 and device.partition_properties == [0]
        try:
            held = [cl.Buffer(context, 0, device.max_mem_alloc_size) for _ in range(3)]
            raise SystemExit("more memory than there is")
        except cl.MemoryError:
            pass
        """,
        WEFT_ISOLATED_MEMORY="1G",
    )
