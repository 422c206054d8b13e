"""Random kernels are run by the means of the kernel tests, with every pass verified and no cache."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))


@pytest.fixture(autouse=True)
def verified_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "1")
    monkeypatch.setenv("WEFT_CACHE", "0")
