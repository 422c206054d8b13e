"""Kernels are compiled at their best from the start, and must be, wherever a test does not say otherwise."""

import os
import signal
import sys
from pathlib import Path

import pytest

from weft.icd.register import shared_libpython

# A shell has commands in the background ignore it, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("WEFT_TIERS", "0")
os.environ.setdefault("WEFT_VERIFY", "faults")
os.environ.setdefault("WEFT_SERVER_IDLE", "0")


@pytest.fixture(scope="session")
def libpython() -> Path:
    """The shared library of this Python; without it tests of programs that are not Python are left out."""
    library = shared_libpython()
    if library is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        pytest.skip(
            f"no shared libpython{version}, by which programs that are not Python use Weft "
            f"(on Debian the package libpython{version})"
        )
    return library
