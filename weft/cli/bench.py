"""`weft bench`: compares this installation with the other OpenCL platforms for CPUs of the machine."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from weft.bench.platforms import installed_platforms
from weft.bench.run import main
from weft.errors import WeftError


class NoClient(WeftError):
    """There is no OpenCL client with which to measure."""


def run(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments; the exit status."""
    if importlib.util.find_spec("pyopencl") is None:
        raise NoClient("measuring needs pyopencl; `pip install pyopencl` installs it")
    return main(arguments, installed_platforms, Path("weft-bench"), "weft bench")
