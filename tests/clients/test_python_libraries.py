"""Python packages that compile for OpenCL or train with it, where installed (`make test-clients`).

Each program compares its results with numpy's or the CPU's, says so, and ends with status 0.
"""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from client_programs import run_program

from weft.icd.register import loader_folder

PROGRAMS = {
    "halide": "halide_blur",
    "reikna": "reikna_transforms",
    "lightgbm": "lightgbm_trees",
    "pyFAI": "pyfai_rings",
}


@pytest.mark.slow
@pytest.mark.parametrize("package", PROGRAMS)
def test_package_computes_what_the_cpu_does(
    package: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    if not importlib.util.find_spec(package):
        pytest.skip(f"{package} is not installed")
    # Halide and LightGBM open the machine's OpenCL loader, where there may be none: then pyopencl's does.
    (tmp_path / "libOpenCL.so").symlink_to(next(loader_folder().glob("libOpenCL*")))
    variables = {**environment, "LD_LIBRARY_PATH": str(tmp_path), "PYOPENCL_NO_CACHE": "1"}
    program = Path(__file__).with_name(f"{PROGRAMS[package]}.py")
    assert run_program([sys.executable, str(program)], variables, timeout=600).endswith("right\n")
