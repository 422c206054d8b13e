import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))

from fault_support import Store

from weft.tiers import tiered_code


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """Optimized code at once; baseline code is compiled once for each kernel."""
    monkeypatch.setenv("WEFT_TIERS", "0")
    monkeypatch.setenv("WEFT_VERIFY", "0")
    made = Store()
    monkeypatch.setattr(tiered_code, "default_cache", lambda: made)
    return made
