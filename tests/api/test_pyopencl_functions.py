"""Programs whose functions stay functions, through the API: printing, images and linking."""

import numpy as np
import pyopencl as cl
import pytest


@pytest.fixture(autouse=True)
def _calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_INLINE", "0")


@pytest.fixture
def context() -> cl.Context:
    (platform,) = (p for p in cl.get_platforms() if p.name == "Weft")
    return cl.Context(platform.get_devices()[:1])


@pytest.fixture
def queue(context: cl.Context) -> cl.CommandQueue:
    return cl.CommandQueue(context)


def test_functions_print(context, queue, capfd) -> None:
    source = """void tell(int x) { printf("<%d %v2hlf>\\n", x, (float2)(1.5f, x)); }
    kernel void k(void) { tell((int)get_global_id(0) + 40); }"""
    cl.Program(context, source).build().k(queue, (2,), (1,))
    queue.finish()
    assert sorted(capfd.readouterr().out.split("\n")[:2]) == [
        "<40 1.500000,40.000000>",
        "<41 1.500000,41.000000>",
    ]


def test_functions_read_images(context, queue) -> None:
    source = """constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    float at(read_only image2d_t image, int2 place) { return read_imagef(image, s, place).x; }
    kernel void k(read_only image2d_t image, global float *a) {
        int x = get_global_id(0), y = get_global_id(1); a[y * 4 + x] = at(image, (int2)(x, y)); }"""
    pixels = np.arange(8, dtype=np.float32).reshape(2, 4)
    image = cl.image_from_array(context, pixels)
    out = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, pixels.nbytes)
    cl.Program(context, source).build().k(queue, (4, 2), (2, 1), image, out)
    found = np.empty_like(pixels)
    cl.enqueue_copy(queue, found, out)
    np.testing.assert_array_equal(found, pixels)


def test_functions_of_another_program_are_linked(context, queue) -> None:
    kernel = "int f(int x); kernel void k(global int *a) { int i = get_global_id(0); a[i] = f(a[i]); }"
    function = "int f(int x) { return x / (x & 1) + (int)get_local_id(0) + (int)native_sqrt(16.0f); }"
    parts = [cl.Program(context, text).compile() for text in (kernel, function)]
    program = cl.link_program(context, parts)
    a = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.array([1, 3, 5, 7], np.int32))
    program.k(queue, (4,), (2,), a)
    found = np.empty(4, np.int32)
    cl.enqueue_copy(queue, found, a)
    assert found.tolist() == [5, 8, 9, 12]
