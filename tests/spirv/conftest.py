"""Tests here share the kernels of `tests/kernels` and the random ones of `tests/fuzz`."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / name) for name in ("kernels", "fuzz")]
