"""The wheel: what it holds, and that pyopencl in the same environment finds Weft with no variable set."""

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from shim_library import probe

from weft.icd import register

ROOT = Path(__file__).resolve().parents[2]
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
ELF_MACHINES = {"x86_64": 62, "aarch64": 183}
FOREIGN = "aarch64" if platform.machine() == "x86_64" else "x86_64"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree without anything that was built in it."""
    tree = tmp_path_factory.mktemp("tree")
    built = shutil.ignore_patterns("*.so", "*.python", "__pycache__")
    shutil.copytree(ROOT / "weft", tree / "weft", ignore=built)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, tree / name)
    return tree


def build(tree: Path, machine: str) -> Path:
    """A wheel for a machine, built as `pip wheel` does it."""
    text = (
        "import sys; from setuptools import build_meta;"
        "build_meta.build_wheel('dist', {'--build-option': [f'--plat-name=linux_{sys.argv[1]}']})"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [sys.executable, "-c", text, machine],
        cwd=tree,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (found,) = (tree / "dist").glob(f"*_{machine}.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tree: Path) -> Path:
    return build(tree, platform.machine())


@pytest.fixture(scope="module")
def foreign_wheel(tree: Path, wheel: Path) -> Path:
    """A wheel for another machine, built in the same tree after the one for this machine."""
    return build(tree, FOREIGN)


def native_parts(wheel: Path) -> dict[str, bytes]:
    """The ELF files of a wheel by name."""
    archive = zipfile.ZipFile(wheel)
    files = {name: archive.read(name) for name in archive.namelist()}
    return {name: data for name, data in files.items() if data.startswith(b"\x7fELF")}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site-packages of an environment that holds the wheel and a copy of pyopencl."""
    prefix = tmp_path_factory.mktemp("environment")
    site = prefix / "lib" / VERSION / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    source = register.loader_folder().parent
    ignored = shutil.ignore_patterns("__pycache__", register.ICD_FILE)
    shutil.copytree(source, site / "pyopencl", dirs_exist_ok=True, ignore=ignored)
    home = Path(sys.base_prefix, "bin")
    (prefix / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\n")
    (prefix / "bin").mkdir()
    (prefix / "bin" / VERSION).symlink_to(home / VERSION)
    # All other packages come from the environment that runs the tests.
    (site / "others.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    return site


def run(site: Path, text: str) -> str:
    """What the environment's interpreter prints, with no variable set that concerns OpenCL or Python."""
    kept = ("OCL_", "OPENCL_", "PYTHON", "PYOPENCL")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(kept)}
    command = [str(site.parents[2] / "bin" / VERSION), "-c", text]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, cwd="/"
    ).stdout


def test_tag_promises_any_later_python_and_an_old_glibc(wheel: Path) -> None:
    assert "-cp311-abi3-manylinux_2_17_" in wheel.name


def test_holds_the_native_parts_and_all_sources_the_compiler_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "weft/icd/libweft_opencl.so",
        "weft/icd/_driver.abi3.so",
        "weft/device/_pool.abi3.so",
        "pyopencl/.libs/weft.icd",
    } <= names
    sources = {str(p.relative_to(ROOT)) for kind in ("*.cl", "*.h") for p in (ROOT / "weft").rglob(kind)}
    assert sources <= names
    assert not any(name.endswith(".python") for name in names)


def test_native_parts_need_no_newer_glibc(wheel: Path, foreign_wheel: Path) -> None:
    for made in (wheel, foreign_wheel):
        for name, data in native_parts(made).items():
            words = data.split(b"GLIBC_2.")[1:]
            assert all(int(word[:2].strip(b".\0")) <= 17 for word in words), name


def test_native_parts_are_for_the_machine_that_the_tag_names(wheel: Path, foreign_wheel: Path) -> None:
    server = "weft/device/weft_device_server"
    for machine, made in ((platform.machine(), wheel), (FOREIGN, foreign_wheel)):
        assert made.name.endswith(f"-cp311-abi3-manylinux_2_17_{machine}.manylinux2014_{machine}.whl")
        parts = native_parts(made)
        assert {int.from_bytes(data[18:20], "little") for data in parts.values()} == {ELF_MACHINES[machine]}
        assert (server in parts) == (machine == "x86_64")
    modules = (set(native_parts(made)) - {server} for made in (wheel, foreign_wheel))
    assert next(modules) == next(modules)


def test_pyopencl_finds_weft_with_no_variable_set(installed: Path) -> None:
    text = (
        "import pyopencl as cl, weft; p = [p for p in cl.get_platforms() if p.name == 'Weft'];"
        "print(len(p), len(p[0].get_devices()) > 0, weft.__file__)"
    )
    assert run(installed, text).split() == ["1", "True", str(installed / "weft" / "__init__.py")]


def test_program_that_is_not_python_finds_the_environment(
    libpython: Path, installed: Path, tmp_path: Path
) -> None:
    assert probe(installed / "weft" / "icd" / register.LIBRARY, tmp_path) == ("0 1\n", "")
