"""Kernel tests verify the IR after every pass, also where the devices compile; they share compiled code."""

import inspect
from collections.abc import Iterator

import pytest
from kernel_ways import compiled


@pytest.fixture(autouse=True)
def verified_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "1")


@pytest.fixture(autouse=True)
def code_of_this_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests that change the compiler share no code with others."""
    changes = "monkeypatch" in inspect.signature(request.function).parameters
    if changes:
        compiled.cache_clear()
    yield
    if changes:
        compiled.cache_clear()
