"""LightGBM's trees, whose histograms OpenCL adds up: they predict what trees made on the CPU predict."""

from pathlib import Path

import lightgbm
import numpy as np

TRAINED = 3000


def main() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4000, 12))
    y = x[:, 0] * 2 + np.sin(x[:, 1] * 3) + (x[:, 2] > 0) * x[:, 3] + 0.05 * rng.normal(size=4000)

    def predicted(device: str, bins: int) -> np.ndarray:
        words = {"objective": "regression", "num_leaves": 15, "learning_rate": 0.2, "verbose": -1, "seed": 1}
        words |= {"device": device, "gpu_use_dp": True, "max_bin": bins, "num_threads": 2}
        trees = lightgbm.train(words, lightgbm.Dataset(x[:TRAINED], y[:TRAINED]), 20)
        return np.asarray(trees.predict(x[TRAINED:]))

    for bins in (15, 63, 255):  # a kernel for each
        expected, found = predicted("cpu", bins), predicted("gpu", bins)
        assert np.mean((expected - y[TRAINED:]) ** 2) < 0.1 * y.var()
        # Sums in another order may choose another of two splits that are as good.
        assert np.mean((found - expected) ** 2) < 1e-3 * y.var(), bins
    assert "libweft_opencl" in Path("/proc/self/maps").read_text()
    print("right")


if __name__ == "__main__":
    main()
