"""Kernel tests verify the IR after every pass, also where the devices compile."""

import pytest


@pytest.fixture(autouse=True)
def verified_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "1")
