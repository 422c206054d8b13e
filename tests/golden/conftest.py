"""Golden tests share the kernel tests' expressions; WEFT_BLESS=1 makes what comes out the expectation."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))


@pytest.fixture
def bless() -> bool:
    """Whether to rewrite the expectations: WEFT_BLESS=1 pytest tests/golden."""
    return os.environ.get("WEFT_BLESS") == "1"
