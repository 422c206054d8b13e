"""Memory-bound kernels in three sizes: for the cores' own caches, the shared cache, and memory."""

from collections.abc import Callable

import numpy as np

from bench.registry import Task, Unit, benchmark
from bench.session import Session

SOURCE = """
__kernel void add(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
__kernel void saxpy(__global const float *x, __global float *y, float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
"""

# Floats per array. Vector add uses three arrays, SAXPY two.
SIZES = {"64 KiB arrays": 2**14, "2 MiB arrays": 2**19, "128 MiB arrays": 2**25}


def _add(count: int) -> Callable[[Session], Task]:
    def prepare(session: Session) -> Task:
        a, b = (session.random.random(count, np.float32) for _ in range(2))
        result = session.buffer(a.nbytes)
        kernel = session.kernel(SOURCE, "add", session.upload(a), session.upload(b), result)

        def check() -> None:
            np.testing.assert_array_equal(session.download(result, a), a + b)

        return Task(lambda: session.launch(kernel, (count,)), check)

    return prepare


def _saxpy(count: int) -> Callable[[Session], Task]:
    def prepare(session: Session) -> Task:
        x, y = (session.random.random(count, np.float32) for _ in range(2))
        updated = session.upload(y)
        # The factor is tiny: after thousands of runs on the same y, it must neither overflow nor lose x.
        factor = np.float32(2.0**-20)
        kernel = session.kernel(SOURCE, "saxpy", session.upload(x), updated, factor)
        once = session.kernel(SOURCE, "saxpy", session.upload(x), updated, np.float32(0.5))

        def check() -> None:
            before = session.download(updated, y)
            session.launch(once, (count,))
            expected = np.float64(0.5) * x + before
            np.testing.assert_allclose(session.download(updated, y), expected, rtol=1e-6)

        return Task(lambda: session.launch(kernel, (count,)), check)

    return prepare


for _size, _count in SIZES.items():
    benchmark(f"stream/vector add/{_size}", Unit.BANDWIDTH, work=3 * 4 * _count)(_add(_count))
for _size, _count in SIZES.items():
    benchmark(f"stream/saxpy/{_size}", Unit.BANDWIDTH, work=3 * 4 * _count)(_saxpy(_count))
