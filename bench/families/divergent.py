"""Kernels with divergent trip counts."""

import numpy as np

from bench.registry import Task, Unit, benchmark
from bench.session import Session

MANDELBROT = """
__kernel void mandelbrot(__global int *counts, float left, float top, float step, int limit) {
    int column = get_global_id(0), row = get_global_id(1);
    float cx = left + step * column, cy = top - step * row;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        n++;
    }
    counts[row * get_global_size(0) + column] = n;
}
"""
WIDTH, HEIGHT, LIMIT = 1024, 512, 256
LEFT, TOP, STEP = -2.2, 0.8, 3.2 / WIDTH


def _counts() -> np.ndarray:
    """Return the number of iterations of each point, in single precision."""
    columns, rows = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
    c = (np.float32(LEFT) + np.float32(STEP) * columns) + 1j * (np.float32(TOP) - np.float32(STEP) * rows)
    c = c.astype(np.complex64)
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, np.int32)
    for _ in range(LIMIT):
        active = z.real * z.real + z.imag * z.imag < 4
        counts += active
        z = np.where(active, z * z + c, z)
    return counts


@benchmark(f"divergent/mandelbrot/{WIDTH}x{HEIGHT}", Unit.MILLISECONDS)
def mandelbrot(session: Session) -> Task:
    """Up to 256 iterations per point, which differ between neighbours."""
    expected = _counts()
    result = session.buffer(expected.nbytes)
    numbers = [np.float32(number) for number in (LEFT, TOP, STEP)]
    kernel = session.kernel(MANDELBROT, "mandelbrot", result, *numbers, np.int32(LIMIT))

    def check() -> None:
        # Orbits near the set are chaotic: a fused multiplication changes the counts of a few points.
        different = (session.download(result, expected) != expected).mean()
        assert different < 0.02, f"{different:.1%} of the points differ"

    return Task(lambda: session.launch(kernel, (WIDTH, HEIGHT), (64, 1)), check)
