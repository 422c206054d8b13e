"""Tests of rewritten source use the kernel tests' files, and need libclang."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'weft[source]'")


@pytest.fixture(autouse=True)
def without_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", "0")
