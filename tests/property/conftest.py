"""The property tests run over the kernels of tests/kernels and the random ones of tests/fuzz."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / folder) for folder in ("kernels", "fuzz")]
