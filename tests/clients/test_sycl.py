"""dpctl and dpnp, where installed (`make test-clients`): SYCL's runtime compiles for Weft in SPIR-V."""

import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from client_programs import run_program

PROGRAM = Path(__file__).with_name("sycl_arrays.py")


def libraries() -> Path:
    """The folder of the SYCL runtime's libraries, which load each other by name."""
    files = importlib.metadata.files("intel-sycl-rt") or []
    found = next(file for file in files if re.fullmatch(r"libsycl\.so[\d.]*", file.name))
    return Path(os.path.realpath(str(found.locate()))).parent


@pytest.mark.slow
def test_dpnp_computes_what_numpy_does(environment: Mapping[str, str]) -> None:
    if not importlib.util.find_spec("dpnp"):
        pytest.skip("dpnp is not installed")
    variables = {"LD_LIBRARY_PATH": str(libraries()), "ONEAPI_DEVICE_SELECTOR": "opencl:cpu"}
    said = run_program([sys.executable, str(PROGRAM)], {**environment, **variables}, timeout=600)
    assert said.endswith("right\n")
