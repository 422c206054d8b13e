"""Whole kernels through pyopencl, compared with numpy."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

LOCAL_SIZES = [1, 7, 64, 1024]


@pytest.fixture(scope="module")
def cl(environment: Mapping[str, str]) -> Iterator[Any]:
    """pyopencl, whose loader reads the variables at its first call."""
    changed = pytest.MonkeyPatch()
    changed.setenv("OCL_ICD_VENDORS", environment["OCL_ICD_VENDORS"])
    changed.setenv("PYOPENCL_NO_CACHE", "1")
    import pyopencl

    yield pyopencl
    changed.undo()


@pytest.fixture(scope="module")
def queue(cl: Any) -> Any:
    """A queue of Weft's first device."""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    return cl.CommandQueue(cl.Context(platform.get_devices()[:1]))


class Device:
    """Shorthand for what the tests do with pyopencl."""

    def __init__(self, cl: Any, queue: Any) -> None:
        self.cl, self.queue, self.context = cl, queue, queue.context

    def kernel(self, source: str, name: str) -> Any:
        """A kernel of a new program."""
        return self.cl.Kernel(self.cl.Program(self.context, source).build(), name)

    def put(self, array: np.ndarray) -> Any:
        """A buffer with a copy of `array`."""
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        return self.cl.Buffer(self.context, flags, hostbuf=np.ascontiguousarray(array))

    def get(self, buffer: Any, like: np.ndarray) -> np.ndarray:
        """The contents of a buffer."""
        result = np.empty_like(like)
        self.cl.enqueue_copy(self.queue, result, buffer)
        return result


@pytest.fixture(scope="module")
def device(cl: Any, queue: Any) -> Device:
    return Device(cl, queue)


def random(shape: Any, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random(shape, dtype=np.float32)


ADD = "__kernel void add(__global const float *a, __global const float *b, __global float *c)\
 { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }"


@pytest.mark.parametrize("local", [None, *LOCAL_SIZES])
def test_vector_addition(device: Device, local: int | None) -> None:
    a, b = random(7 * 1024), random(7 * 1024, 2)
    result = device.put(np.zeros_like(a))
    kernel = device.kernel(ADD, "add")
    kernel(device.queue, a.shape, local and (local,), device.put(a), device.put(b), result)
    np.testing.assert_array_equal(device.get(result, a), a + b)


REDUCE = """
__kernel void sum(__global const int *in, __global int *out, __local int *part) {
    size_t l = get_local_id(0), n = get_local_size(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = 1; s < n; s *= 2) {
        int other = l + s < n && l % (2 * s) == 0 ? part[l + s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}
"""


@pytest.mark.parametrize("local", LOCAL_SIZES)
def test_reduction_with_local_memory_and_barriers(device: Device, local: int) -> None:
    values = np.random.default_rng(3).integers(-1000, 1000, 7 * 1024, dtype=np.int32)
    groups = values.size // local
    out = device.put(np.zeros(groups, np.int32))
    kernel = device.kernel(REDUCE, "sum")
    scratch = device.cl.LocalMemory(4 * local)
    kernel(device.queue, values.shape, (local,), device.put(values), out, scratch)
    expected = values.reshape(groups, local).sum(axis=1, dtype=np.int32)
    np.testing.assert_array_equal(device.get(out, expected), expected)


PRODUCT = """
#define T 8
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float ta[T][T], tb[T][T];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n / T; t++) {
        ta[y][x] = a[row * n + t * T + x];
        tb[y][x] = b[(t * T + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++) sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
"""


def test_tiled_matrix_product(device: Device) -> None:
    a, b = random((64, 64), 4), random((64, 64), 5)
    c = device.put(np.zeros_like(a))
    kernel = device.kernel(PRODUCT, "product")
    kernel(device.queue, (64, 64), (8, 8), device.put(a), device.put(b), c, np.int32(64))
    np.testing.assert_allclose(device.get(c, a), a @ b, rtol=1e-5)


STENCIL = """
__kernel void stencil(__global const float *in, __global float *out) {
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t w = get_global_size(0) + 2, h = get_global_size(1) + 2, at = ((z + 1) * h + y + 1) * w + x + 1;
    out[(z * (h - 2) + y) * (w - 2) + x] =
        in[at] + in[at - 1] + in[at + 1] + in[at - w] + in[at + w] + in[at - w * h] + in[at + w * h];
}
"""


@pytest.mark.parametrize("local", [None, (1, 1, 1), (1, 13, 7), (17, 13, 1)])
def test_three_dimensional_stencil_with_odd_sizes(device: Device, local: tuple[int, ...] | None) -> None:
    field = random((9, 15, 19), 6)  # z, y, x with a border of one
    inner = field[1:-1, 1:-1, 1:-1]
    out = device.put(np.zeros(inner.shape, np.float32))
    kernel = device.kernel(STENCIL, "stencil")
    kernel(device.queue, inner.shape[::-1], local, device.put(field), out)
    expected = inner.copy()
    for axis in (2, 1, 0):
        for step in (-1, 1):
            expected += np.roll(field, -step, axis)[1:-1, 1:-1, 1:-1]
    np.testing.assert_allclose(device.get(out, expected), expected, rtol=1e-6)


STRUCT = """
struct pair { int count; float factor; };
struct settings { char tag; struct pair pair; double offset; };
__kernel void apply(__global float *a, struct settings s) {
    size_t i = get_global_id(0);
    if (i < s.pair.count) a[i] = a[i] * s.pair.factor + (float)s.offset + s.tag;
}
"""


def test_structure_argument(device: Device) -> None:
    pair = np.dtype([("count", np.int32), ("factor", np.float32)], align=True)
    layout = np.dtype([("tag", np.int8), ("pair", pair), ("offset", np.float64)], align=True)
    settings = np.array((3, (700, 2.0), 0.5), layout)[()]
    a = random(1000, 7)
    buffer = device.put(a)
    device.kernel(STRUCT, "apply")(device.queue, a.shape, None, buffer, settings)
    expected = a.copy()
    expected[:700] = a[:700] * np.float32(2) + np.float32(3.5)
    np.testing.assert_allclose(device.get(buffer, a), expected, rtol=1e-6)


def test_offset_and_map(device: Device) -> None:
    source = "__kernel void mark(__global int *a) { a[get_global_id(0)] = get_global_id(0) + 1; }"
    buffer = device.put(np.zeros(100, np.int32))
    kernel = device.kernel(source, "mark")
    kernel.set_args(buffer)
    device.cl.enqueue_nd_range_kernel(device.queue, kernel, (40,), (5,), global_work_offset=(30,))
    flags = device.cl.map_flags.READ
    mapped, _ = device.cl.enqueue_map_buffer(device.queue, buffer, flags, 0, (100,), np.int32)
    expected = np.zeros(100, np.int32)
    expected[30:70] = np.arange(31, 71)
    np.testing.assert_array_equal(mapped, expected)
    mapped.base.release(device.queue)


def test_errors_reach_pyopencl(device: Device) -> None:
    cl = device.cl
    with pytest.raises(cl.RuntimeError, match="BUILD_PROGRAM_FAILURE") as failure:
        device.kernel("__kernel void f(__global int *a) { a[0] = nonsense; }", "f")
    assert "nonsense" in str(failure.value)
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL_NAME"):
        device.kernel(ADD, "subtract")
    kernel = device.kernel(ADD, "add")
    buffer = device.put(np.zeros(100, np.float32))
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        kernel(device.queue, (100,), (7,), buffer, buffer, buffer)
