"""Fixtures: C programs compiled with the `ziglang` wheel and linked with the loader that pyopencl brings."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from client_programs import header, run_program

from weft.icd import register, toolchain

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which OpenCL programs see Weft and nothing else."""
    vendors = tmp_path_factory.mktemp("vendors")
    register.register(vendors)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OCL_", "PYTHON"))}
    # The loader in pyopencl copies PYOPENCL_HOME without looking whether it is set.
    return variables | {"OCL_ICD_VENDORS": str(vendors), "PYOPENCL_HOME": ""}


@pytest.fixture(scope="session")
def client(
    tmp_path_factory: pytest.TempPathFactory, environment: Mapping[str, str], libpython: Path
) -> Callable[..., str]:
    """Compiles a client program (once) and runs it; returns what it prints, fails if it fails or hangs."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "opencl.h").write_text(header())
    loader = next(register.loader_folder().glob("libOpenCL*"))

    def run(name: str, *arguments: str, timeout: float = 60, **variables: str) -> str:
        program = folder / name
        if not program.exists():
            link = [str(loader), f"-Wl,-rpath,{loader.parent}", "-pthread", "-ldl"]
            toolchain.compile_c(
                [HERE / f"{name}.c"], program, shared=False, include=[folder, HERE], arguments=link
            )
        return run_program([str(program), *arguments], {**environment, **variables}, timeout=timeout)

    return run


@pytest.fixture
def python(environment: Mapping[str, str]) -> Callable[..., str]:
    """Runs Python text in a process of its own, in which pyopencl sees Weft alone."""

    def run(text: str, *, timeout: float = 60) -> str:
        return run_program([sys.executable, "-c", text], environment, timeout=timeout)

    return run
