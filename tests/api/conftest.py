"""Fixtures of the API tests."""

import os
from collections.abc import Iterator

# A cache of binaries that outlives the test run would hide what it tests.
os.environ["PYOPENCL_NO_CACHE"] = "1"

import pyopencl as cl
import pytest
from api_support import World
from fake_compiler import FakeCompiler

from weft.runtime import program


@pytest.fixture(scope="module")
def queue() -> cl.CommandQueue:
    """A queue on the Weft platform."""
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return cl.CommandQueue(cl.Context(platform.get_devices()))


@pytest.fixture
def world() -> Iterator[World]:
    """A context and a queue."""
    made = World()
    yield made
    made.close()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """Programs are built by a compiler that knows a few kernels by name."""
    fake = FakeCompiler()
    monkeypatch.setattr(program, "load_compiler", lambda: fake)
    return fake
