"""silx's own tests of its OpenCL functions, where it is installed (`make test-clients`)."""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from client_programs import run_program

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("silx"), reason="silx is not installed")


@pytest.mark.slow
def test_silx_passes_its_own_tests(environment: Mapping[str, str], tmp_path: Path) -> None:
    variables = {
        **environment,
        "PYOPENCL_CTX": "0",
        "PYOPENCL_NO_CACHE": "1",
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "silx_pictures",
        "-o",
        "addopts=",
    ]
    text = run_program([*command, "--pyargs", "silx.opencl"], variables, timeout=1800)
    assert " passed" in text
