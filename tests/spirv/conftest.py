"""Tests here share the kernels of `tests/kernels`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
