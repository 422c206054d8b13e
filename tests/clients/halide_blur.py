"""Halide compiles a blur with a stage in local memory, and a histogram by atomics; numpy checks."""

import sys
from pathlib import Path

import halide as hl
import numpy as np

WIDTH, HEIGHT = 130, 96


def blur(image: np.ndarray, target: hl.Target) -> np.ndarray:
    """A blur of 3 x 3, in tiles whose rows of sums work-items share."""
    x, y, xo, yo, xi, yi = (hl.Var(name) for name in ("x", "y", "xo", "yo", "xi", "yi"))
    edge = hl.BoundaryConditions.repeat_edge(hl.Buffer(image))
    wide, rows, blurred = hl.Func("wide"), hl.Func("rows"), hl.Func("blurred")
    wide[x, y] = hl.cast(hl.UInt(16), edge[x, y])
    rows[x, y] = wide[x - 1, y] + 2 * wide[x, y] + wide[x + 1, y]
    blurred[x, y] = hl.cast(hl.UInt(8), (rows[x, y - 1] + 2 * rows[x, y] + rows[x, y + 1] + 8) / 16)
    blurred.gpu_tile(x, y, xo, yo, xi, yi, 16, 8)
    rows.compute_at(blurred, xo).gpu_threads(x, y)
    result = blurred.realize([WIDTH, HEIGHT], target)
    result.copy_to_host()
    return np.array(result)


def histogram(image: np.ndarray, target: hl.Target) -> np.ndarray:
    """How often each value occurs: a reduction that the work-items of a row do together."""
    bins, x, y, value = hl.Func("bins"), hl.Var("x"), hl.Var("y"), hl.Var("value")
    source = hl.Buffer(image)
    domain = hl.RDom([(0, WIDTH), (0, HEIGHT)])
    bins[value] = hl.cast(hl.Int(32), 0)
    bins[hl.cast(hl.Int(32), source[domain.x, domain.y])] += 1
    bins.gpu_tile(value, x, y, 16)
    bins.update().atomic().gpu_tile(
        domain.x, domain.y, hl.RVar("xo"), hl.RVar("yo"), hl.RVar("xi"), hl.RVar("yi"), 16, 4
    )
    result = bins.realize([256], target)
    result.copy_to_host()
    return np.array(result)


def main() -> None:
    image = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    target = hl.get_host_target().with_feature(hl.TargetFeature.OpenCL)
    padded = np.pad(image.astype(int), 1, mode="edge")
    rows = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    expected = (rows[:-2] + 2 * rows[1:-1] + rows[2:] + 8) // 16
    assert (blur(image, target) == expected).all()
    assert (histogram(image, target) == np.bincount(image.ravel(), minlength=256)).all()
    assert "libweft_opencl" in Path("/proc/self/maps").read_text()
    print("right")


if __name__ == "__main__":
    sys.exit(main())
