"""A pytest plugin for silx's own tests: pictures that scipy would fetch from the network are made here."""

import numpy as np
import scipy.datasets


def _picture(*shape: int) -> np.ndarray:
    """Smooth waves with some noise: something to find features in."""
    random = np.random.default_rng(7)
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    waves = 128 + 60 * np.sin(x / 17) * np.cos(y / 23) + 40 * ((x // 32 + y // 48) % 2)
    noisy = waves + random.normal(0, 5, shape[:2])
    wanted = np.broadcast_to(noisy[..., None], shape) if len(shape) == 3 else noisy
    return np.clip(wanted, 0, 255).astype(np.uint8)


scipy.datasets.ascent = lambda: _picture(512, 512)
scipy.datasets.face = lambda gray=False: _picture(768, 1024) if gray else _picture(768, 1024, 3)
