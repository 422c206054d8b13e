"""A client's program on the device `ttasim`, alone and beside `pthread`, in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

from weft.device import isolated

PREAMBLE = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, pyopencl as cl
(platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
devices = platform.get_devices()
(device,) = platform.get_devices(cl.device_type.ACCELERATOR)
context = cl.Context(devices)
queue = cl.CommandQueue(context, device, cl.command_queue_properties.PROFILING_ENABLE)
flags = cl.mem_flags

def fails(code, call, *arguments):
    try:
        call(*arguments)
    except cl.Error as error:
        assert error.code == code, error
    else:
        raise AssertionError("it did not fail")
"""


def run(body: str, **settings: str) -> tuple[str, str]:
    """What a program prints on standard output and standard error."""
    environment = {**os.environ, "WEFT_DEVICES": "ttasim", "PYOPENCL_NO_CACHE": "1", **settings}
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(body)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done
    return done.stdout, done.stderr


def test_kernels_and_transfers_of_all_kinds() -> None:
    said, errors = run(
        """
        source = '''
        typedef struct { int a; float b; short c; } S;
        kernel void reverse(global float *a, float s, local float *l) {
            int i = get_global_id(0), j = get_local_id(0);
            l[j] = a[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[i] = l[get_local_size(0) - 1 - j] * s;
        }
        kernel void index(global int *a, int4 v, S s, constant int *table) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            a[((z - 5) * 2 + y) * 4 + x - 100] = v.x + v.w * x + s.a * y + s.c + (int)(s.b * z) + table[y];
        }
        '''
        program = cl.Program(context, source).build()
        data = np.arange(64, dtype=np.float32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        found = np.empty_like(data)
        # Twice: the second launch takes the short way through the driver.
        reverse = cl.Kernel(program, "reverse")
        for _ in range(2):
            event = reverse(queue, (64,), (16,), buffer, np.float32(2), cl.LocalMemory(64))
            cl.enqueue_copy(queue, found, buffer)
        assert (found == data * 4).all()
        cycle = 10**9 // (device.max_clock_frequency * 10**6)
        took = event.profile.end - event.profile.start
        assert cycle == device.profiling_timer_resolution == 10
        assert took % cycle == 0 and 4 * 16 <= took // cycle < 5000, took

        class_s = np.array([(3, 1.5, 7)], np.dtype([("a", "i4"), ("b", "f4"), ("c", "i2")], align=True))
        table = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=np.array([50, 60], np.int32))
        result = cl.Buffer(context, 0, 4 * 24)
        cl.enqueue_fill_buffer(queue, result, np.int32(-1), 0, 4 * 24)
        index = cl.Kernel(program, "index")
        index(queue, (4, 2, 2), (2, 2, 1), result, cl.cltypes.make_int4(1, 2, 3, 4), class_s, table,
              global_offset=(100, 0, 5))
        z, y, x = np.mgrid[5:7, 0:2, 100:104]
        expected = 1 + 4 * x + 3 * y + 7 + (1.5 * z).astype(int) + np.array([50, 60])[y]
        mapped, _ = cl.enqueue_map_buffer(queue, result, cl.map_flags.READ, 0, (24,), np.int32)
        assert (mapped[:16] == expected.ravel()).all() and (mapped[16:] == -1).all()
        mapped.base.release(queue)

        part = result.get_sub_region(0, 64)
        copied = cl.Buffer(context, 0, 128)
        cl.enqueue_copy(queue, copied, part, byte_count=64)
        words = np.zeros(16, np.int32)
        cl.enqueue_copy(queue, words, copied)
        assert (words == expected.ravel()).all()
        """
    )
    assert (said, errors) == ("", "")


def test_faults_and_refusals_are_reported_and_the_queue_continues() -> None:
    said, errors = run(
        """
        source = '''
        kernel void stray(global int *a) { a[get_global_id(0) * 100000000 + a[0]] = 1; }
        kernel void endless(volatile global int *a) { while (a[0] == 7) a[1]++; }
        kernel void for_ever(global int *a) { for (int i = 0;; i++) a[i & 7] = 7; }
        kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }
        kernel void prints(global int *a) { printf("%d", a[0]); }
        '''
        program = cl.Program(context, source).build()
        data = np.full(8, 7, np.int32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        for name in ("stray", "endless", "for_ever"):
            event = cl.Kernel(program, name)(queue, (8,), (4,), buffer)
            fails(cl.status_code.OUT_OF_RESOURCES, queue.finish)
            print(event.command_execution_status)
        fails(cl.status_code.OUT_OF_RESOURCES, cl.Kernel(program, "prints"), queue, (1,), (1,), buffer)
        cl.enqueue_fill_buffer(queue, buffer, np.int32(21), 0, 32)
        cl.Kernel(program, "twice")(queue, (8,), None, buffer)
        cl.enqueue_copy(queue, data, buffer)
        assert (data == 42).all()
        """,
        WEFT_TTA_CYCLES="20000",
    )
    assert said == "-5\n-5\n-5\n"
    # The client tries a launch again that finds no resources.
    stray, endless, for_ever, *prints = errors.splitlines()
    assert stray.startswith("weft: kernel 'stray': an access outside the memory of 67108864 bytes")
    assert endless == ("weft: kernel 'endless': it exceeded the 20000 cycles that WEFT_TTA_CYCLES allows")
    assert for_ever == endless.replace("endless", "for_ever")
    assert prints and all(
        line.startswith("weft: kernel 'prints' cannot run on ttasim-table2-math: ") for line in prints
    )


def test_queries_are_true_of_the_machine() -> None:
    said, errors = run(
        """
        assert device.name == "ttasim-table2-math" and device.max_clock_frequency == 100
        assert device.profile == "EMBEDDED_PROFILE" and device.max_compute_units == 1
        assert device.global_mem_size == 56 << 20 and device.local_mem_size == 64 << 10
        assert not device.image_support and not device.double_fp_config and not device.half_fp_config
        assert not device.svm_capabilities and not device.host_unified_memory
        assert device.preferred_vector_width_float == 1 and device.preferred_vector_width_double == 0
        extensions = device.extensions.split()
        assert "cl_khr_global_int32_base_atomics" in extensions and "cles_khr_int64" in extensions
        assert not {"cl_khr_fp64", "cl_khr_fp16", "cl_khr_int64_base_atomics"} & set(extensions)
        source = '''
        #if defined(cl_khr_fp64) || defined(cl_khr_int64_base_atomics) || defined(__IMAGE_SUPPORT__)
        #error it has none
        #endif
        #ifndef __EMBEDDED_PROFILE__
        #error it is
        #endif
        kernel void add(global int *a) { atomic_add(a, (int)get_global_id(0)); }
        '''
        counts = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.int32))
        cl.Kernel(cl.Program(context, source).build(devices=[device]), "add")(queue, (8,), (4,), counts)
        found = np.empty(1, np.int32)
        cl.enqueue_copy(queue, found, counts)
        assert found[0] == 28
        double = "kernel void k(global float *a) { a[0] = (float)((double)a[0] / 3); }"
        program = cl.Program(context, double)
        fails(cl.status_code.BUILD_PROGRAM_FAILURE, lambda: program.build(devices=[device]))
        # Beside a processor of the host the program is built in the language of each.
        (host,) = [d for d in devices if d.type == cl.device_type.CPU]
        twice = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }"
        program = cl.Program(context, twice).build()
        for one in devices:
            cl.Kernel(program, "twice")(cl.CommandQueue(context, one), (1,), None, counts).wait()
        cl.enqueue_copy(queue, found, counts)
        assert found[0] == 28 * 4
        alone = cl.Context([device])
        fails(cl.status_code.INVALID_BUFFER_SIZE, cl.Buffer, alone, 0, device.max_mem_alloc_size + 1)
        form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
        fails(cl.status_code.INVALID_OPERATION, cl.Image, alone, 0, form, (32, 32))
        modes = cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST
        fails(cl.status_code.INVALID_OPERATION, cl.Sampler, alone, False, *modes)
        """,
        WEFT_DEVICES="ttasim,pthread",
    )
    assert (said, errors) == ("", "")


@pytest.mark.skipif(not isolated.is_available(), reason="there is no device server for this processor")
def test_all_devices_share_buffers_in_one_context() -> None:
    said, errors = run(
        """
        source = "kernel void add(global int *a, global int *b) { int i = get_global_id(0); a[i] += b[i]; }"
        add = cl.Kernel(cl.Program(context, source).build(), "add")
        data = np.arange(256, dtype=np.int32)
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=data)
        parts = buffer.get_sub_region(0, 512), buffer.get_sub_region(512, 512)
        for one in (*devices, *devices):
            add(cl.CommandQueue(context, one), (128,), (64,), *parts).wait()
        found = np.empty_like(data)
        cl.enqueue_copy(queue, found, buffer)
        assert (found[128:] == data[128:]).all()
        assert (found[:128] == data[:128] + 2 * len(devices) * data[128:]).all()
        """,
        WEFT_DEVICES="pthread,basic,isolated,ttasim",
    )
    assert (said, errors) == ("", "")


def test_the_end_of_the_program_ends_a_launch() -> None:
    said, _ = run(
        """
        source = "kernel void endless(volatile global int *a) { while (a[0] == 0) a[1]++; }"
        buffer = cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=np.zeros(2, np.int32))
        event = cl.Kernel(cl.Program(context, source).build(), "endless")(queue, (1,), (1,), buffer)
        queue.flush()
        print("left")
        """,
        WEFT_TTA_CYCLES="0",
    )
    assert said == "left\n"
