"""From source to the first result: some platforms compile at build time, some at the first launch."""

import itertools

import numpy as np

from bench.registry import Caches, Mode, Task, Unit, benchmark
from bench.session import Session

SOURCE = """
__kernel void smooth(__global const float *in, __global float *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f, weights = 0.0f;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int u = clamp(x + i, 0, width - 1);
            int v = clamp(y + j, 0, height - 1);
            float value = in[v * width + u];
            float weight = 1.0f / (1.0f + (float)(i * i + j * j));
            sum += weight * value;
            weights += weight;
        }
    }
    float result = sum / weights;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        result = fabs(result);
    result = sqrt(result * result);
    out[y * width + x] = mad(result, 2.0f, SERIAL);
}
"""
SIDE = 16


def smoothed(image: np.ndarray) -> np.ndarray:
    """Return twice the weighted mean of nine texels of a square image."""
    side = len(image)
    padded = np.pad(image.astype(np.float64), 1, mode="edge")
    weights = {(i, j): 1 / (1 + (i - 1) ** 2 + (j - 1) ** 2) for i in range(3) for j in range(3)}
    total = np.zeros_like(image, np.float64)
    for (i, j), weight in weights.items():
        total += weight * padded[i : i + side, j : j + side]
    return 2 * total / sum(weights.values())


def _prepare(session: Session) -> Task:
    image = session.random.random((SIDE, SIDE), np.float32)
    source, result = session.upload(image), session.buffer(image.nbytes)
    serials = itertools.count()
    last = 0.0

    def build_and_launch(serial: float) -> None:
        nonlocal last
        last = serial
        text = SOURCE.replace("SERIAL", f"{serial:.1f}f")
        kernel = session.kernel(text, "smooth", source, result, np.int32(SIDE), np.int32(SIDE))
        session.launch(kernel, (SIDE, SIDE), (8, 8))

    def check() -> None:
        np.testing.assert_allclose(session.download(result, image), smoothed(image) + last, atol=1e-5)

    # The first build of a process also loads the compiler, which is not measured here.
    build_and_launch(-1.0)
    check()
    # A changing constant makes each source new to the caches; all processes use the same sequence of sources.
    return Task(lambda: build_and_launch(float(next(serials))), check)


benchmark("build/20 lines, cold", Unit.MILLISECONDS, mode=Mode.SINGLE, caches=Caches.OFF)(_prepare)
benchmark("build/20 lines, cached", Unit.MILLISECONDS, mode=Mode.SINGLE, caches=Caches.FILLED)(_prepare)
