"""Kernels through pyopencl, the ICD loader and the compiler: everything together."""

from collections.abc import Iterator

import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
typedef struct { float scale; int shift; uchar flag; } options;

__kernel void add(__global const float *a, __global const float *b, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}

__kernel void scaled(__global const int *in, __global float *out, options o, short more)
{
    size_t i = get_global_id(0);
    out[i] = o.flag ? in[i] * o.scale + o.shift + more : 0.0f;
}

__kernel void total(__global const int *in, __global int *out, __local int *part)
{
    uint l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (l < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

__kernel void where(__global uint *out)
{
    size_t w = get_global_size(0), h = get_global_size(1);
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    out[(z * h + y) * w + x] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
}

__attribute__((reqd_work_group_size(8, 2, 1)))
__kernel void shaped(__global ulong *out)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[i] = get_local_size(0) * 10 + get_local_size(1);
}
"""


@pytest.fixture(scope="module")
def context() -> cl.Context:
    """A context on the Weft platform."""
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return cl.Context(platform.get_devices())


@pytest.fixture
def queue(context: cl.Context) -> Iterator[cl.CommandQueue]:
    """A queue that is finished after the test."""
    made = cl.CommandQueue(context)
    yield made
    made.finish()


@pytest.fixture(scope="module")
def program(context: cl.Context) -> cl.Program:
    """The program above."""
    return cl.Program(context, SOURCE).build()


def device_array(context: cl.Context, array: np.ndarray) -> cl.Buffer:
    """A buffer with a copy of an array."""
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def host_array(queue: cl.CommandQueue, buffer: cl.Buffer, like: np.ndarray) -> np.ndarray:
    """What a buffer holds."""
    out = np.empty_like(like)
    cl.enqueue_copy(queue, out, buffer)
    return out


@pytest.mark.parametrize("local", [None, 1, 7, 64, 448])
def test_vector_add_for_local_sizes(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program, local: int | None
) -> None:
    a, b = np.random.default_rng(2).random((2, 448 * 5), np.float32)
    out = device_array(context, np.zeros_like(a))
    size = None if local is None else (local,)
    cl.Kernel(program, "add")(queue, a.shape, size, device_array(context, a), device_array(context, b), out)
    assert (host_array(queue, out, a) == a + b).all()


def test_structures_and_small_values_are_passed(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program
) -> None:
    numbers = np.arange(100, dtype=np.int32)
    out = device_array(context, np.zeros(100, np.float32))
    options = np.array([(0.5, 3, 1)], np.dtype([("s", "f4"), ("i", "i4"), ("f", "u1")], align=True))[0]
    cl.Kernel(program, "scaled")(
        queue, (100,), None, device_array(context, numbers), out, options, np.int16(-2)
    )
    assert (host_array(queue, out, np.empty(100, np.float32)) == numbers * np.float32(0.5) + 1).all()


@pytest.mark.parametrize("local", [1, 64, 1024])
def test_local_memory_arguments(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program, local: int
) -> None:
    numbers = np.arange(4096, dtype=np.int32)
    out = device_array(context, np.zeros(4096 // local, np.int32))
    data = device_array(context, numbers)
    cl.Kernel(program, "total")(queue, (4096,), (local,), data, out, cl.LocalMemory(4 * local))
    expected = numbers.reshape(-1, local).sum(1, dtype=np.int32)
    assert (host_array(queue, out, expected) == expected).all()


@pytest.mark.parametrize("size", [(5,), (5, 3), (5, 3, 7)])
def test_offsets_reach_the_kernel(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program, size: tuple[int, ...]
) -> None:
    full = (*size, 1, 1)[:3]
    offset = (4, 2, 9)[: len(size)]
    out = device_array(context, np.zeros(full[::-1], np.uint32))
    cl.Kernel(program, "where")(queue, size, None, out, global_offset=offset)
    start = (*offset, 0, 0)[:3]
    z, y, x = np.meshgrid(
        *(np.arange(n) + s for n, s in zip(full[::-1], start[::-1], strict=True)), indexing="ij"
    )
    expected = (x + 100 * y + 10000 * z).astype(np.uint32)
    assert (host_array(queue, out, expected) == expected).all()


def test_required_work_group_size(context: cl.Context, queue: cl.CommandQueue, program: cl.Program) -> None:
    out = device_array(context, np.zeros((4, 16), np.uint64))
    cl.Kernel(program, "shaped")(queue, (16, 4), None, out)
    assert (host_array(queue, out, np.empty((4, 16), np.uint64)) == 82).all()
    kernel = cl.Kernel(program, "shaped")
    info = cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE
    assert list(kernel.get_work_group_info(info, context.devices[0])) == [8, 2, 1]
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        cl.Kernel(program, "shaped")(queue, (16, 4), (4, 4), out)


UNEVEN = """
kernel void uneven(global uint *out) {
    out[get_global_id(0)] = 100 * get_local_size(0) + get_enqueued_local_size(0);
}
kernel void plain(global uint *out) { out[get_global_id(0)] = 3; }
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void flat(global uint *out) { out[0] = 1; }
"""
UNEVEN_GROUPS = np.repeat(np.array([1616, 416], np.uint32), [96, 4])


def test_the_last_work_group_may_be_smaller(context: cl.Context, queue: cl.CommandQueue) -> None:
    built = cl.Program(context, UNEVEN).build(["-cl-std=CL3.0"])
    again = cl.Program(context, context.devices, built.get_info(cl.program_info.BINARIES)).build()
    for program in (built, again):
        for name, size, expected in (
            ("uneven", (16,), UNEVEN_GROUPS),
            ("plain", (16,), np.full(100, 3, np.uint32)),
            ("required", (16,), UNEVEN_GROUPS // 100),
            ("required", None, UNEVEN_GROUPS // 100),
        ):
            out = device_array(context, np.zeros(104, np.uint32))
            for _ in range(3):
                cl.Kernel(program, name)(queue, (100,), size, out)
            found = host_array(queue, out, np.empty(104, np.uint32))
            assert (found[:100] == expected).all()
            assert not found[100:].any()
        with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
            cl.Kernel(program, "flat")(queue, (100,), None, out)  # which requires two dimensions


@pytest.mark.parametrize("options", ["", "-cl-std=CL1.2", "-cl-std=CL3.0 -cl-uniform-work-group-size"])
def test_older_programs_and_those_that_ask_for_it_have_groups_of_one_size(
    context: cl.Context, queue: cl.CommandQueue, options: str
) -> None:
    source = "kernel void plain(global uint *out) { out[get_global_id(0)] = 3; }"
    program = cl.Program(context, source).build(options.split())
    out = device_array(context, np.zeros(100, np.uint32))
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        cl.Kernel(program, "plain")(queue, (100,), (16,), out)
    cl.Kernel(program, "plain")(queue, (100,), (20,), out)


def test_kernels_tell_about_their_arguments(program: cl.Program) -> None:
    kernel = cl.Kernel(program, "scaled")
    info = cl.kernel_arg_info
    assert [kernel.get_arg_info(i, info.NAME) for i in range(4)] == ["in", "out", "o", "more"]
    assert kernel.get_arg_info(0, info.TYPE_NAME) == "int*"
    assert kernel.get_arg_info(2, info.TYPE_NAME) == "options"
    assert kernel.get_arg_info(0, info.TYPE_QUALIFIER) == cl.kernel_arg_type_qualifier.CONST
    assert kernel.get_arg_info(0, info.ADDRESS_QUALIFIER) == cl.kernel_arg_address_qualifier.GLOBAL
    assert {k.function_name for k in program.all_kernels()} == {"add", "scaled", "total", "where", "shaped"}


def test_build_errors_show_the_log(context: cl.Context) -> None:
    with pytest.raises(cl.RuntimeError, match="undeclared identifier 'y'") as caught:
        cl.Program(context, "__kernel void k(__global int *x)\n{ x[0] = y; }").build(cache_dir=False)
    assert "2:" in str(caught.value)
    with pytest.raises(cl.RuntimeError, match="INVALID_BUILD_OPTIONS"):
        cl.Program(context, "__kernel void k() {}").build(["--nonsense"], cache_dir=False)


def test_binaries_run_as_their_source(
    context: cl.Context, queue: cl.CommandQueue, program: cl.Program
) -> None:
    copy = cl.Program(context, context.devices, program.get_info(cl.program_info.BINARIES)).build()
    a = np.arange(64, dtype=np.float32)
    out = device_array(context, np.zeros_like(a))
    copy.add(queue, (64,), None, device_array(context, a), device_array(context, a), out)
    assert (host_array(queue, out, a) == 2 * a).all()
    with pytest.raises(cl.LogicError, match="INVALID_BINARY"):
        cl.Program(context, context.devices, [b"WEFT junk"])


def test_chains_of_events_order_kernels(context: cl.Context, program: cl.Program) -> None:
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(context, properties=properties)
    ones = np.ones(1 << 16, np.float32)
    buffers = [device_array(context, ones) for _ in range(2)]
    event = None
    for step in range(20):
        source, target = buffers[step % 2], buffers[1 - step % 2]
        waits = [event] if event is not None else None
        event = cl.Kernel(program, "add")(queue, ones.shape, (256,), source, source, target, wait_for=waits)
    event.wait()
    assert (host_array(queue, buffers[0], ones) == 2.0**20).all()
    queue.finish()


@pytest.mark.parametrize("name", ["all", "step", "max", "exit", "memcpy"])
def test_kernels_may_have_the_names_of_other_functions(queue: cl.CommandQueue, name: str) -> None:
    source = f"""
kernel void first(global int *out, int4 value) {{ out[1] = any(value) + popcount(value.x); }}
kernel void {name}(global int *out, int4 value) {{ out[0] = value.y + any(value); }}
"""
    program = cl.Program(queue.context, source).build()
    kernel = cl.Kernel(program, name)
    result = np.zeros(2, np.int32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=result)
    value = np.array((-1, 6, 0, 0), np.int32)
    kernel(queue, (1,), None, buffer, value)
    cl.Kernel(program, "first")(queue, (1,), None, buffer, value)
    cl.enqueue_copy(queue, result, buffer)
    assert list(result) == [7, 33]


@pytest.mark.parametrize("bits", [19, 40])
def test_more_local_memory_than_there_is(
    queue: cl.CommandQueue, bits: int, capfd: pytest.CaptureFixture[str]
) -> None:
    source = f"""
    kernel void k(global int *a) {{
        local char l[1L << {bits}];
        l[a[0]] = a[1];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[2] = l[a[3]];
    }}
    """
    kernel = cl.Kernel(cl.Program(queue.context, source).build(), "k")
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 64)
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        kernel(queue, (4,), (4,), buffer)
    assert capfd.readouterr().err == ""
