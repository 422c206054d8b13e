"""Kernel tests verify the IR after every pass, also where the devices compile; they share compiled code."""

from collections.abc import Iterator

import pytest
from kernel_ways import compiled


@pytest.fixture(autouse=True)
def verified_passes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_VERIFY", "1")
        yield


@pytest.fixture(autouse=True)
def code_of_this_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests that change the compiler, themselves or by a fixture, share no code with others."""
    changes = "monkeypatch" in request.fixturenames
    if changes:
        compiled.cache_clear()
    yield
    if changes:
        compiled.cache_clear()
