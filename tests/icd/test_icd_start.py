"""Starting Python from the shared object: which one, and what happens when there is none that fits."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from shim_library import probe

from weft.icd import register


def copy(folder: Path) -> Path:
    """A copy of the shared object in `folder`/weft/icd."""
    place = folder / "weft" / "icd"
    place.mkdir(parents=True)
    return Path(shutil.copy(register.library_path(), place))


def test_source_tree_starts_the_recorded_interpreter(libpython: Path, tmp_path: Path) -> None:
    assert probe(register.library_path(), tmp_path) == ("0 1\n", "")


def test_python_that_the_driver_cannot_use_collects_garbage(libpython: Path, tmp_path: Path) -> None:
    library = copy(tmp_path)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    (library.parent / "libweft_opencl.python").write_text(f"version = {version}\nlibpython = {libpython}\n")
    (tmp_path / "weft" / "__init__.py").write_text("")
    (tmp_path / "weft" / "icd" / "__init__.py").write_text("")
    (tmp_path / "weft" / "icd" / "driver.py").write_text("raise ImportError('broken')\n")
    said, errors = probe(library, tmp_path)
    assert said == "-1 0\n"
    assert errors == "weft: the driver cannot start in Python: ImportError('broken')\n"


def test_without_a_libpython_there_are_no_devices_and_one_message(tmp_path: Path) -> None:
    library = copy(tmp_path)
    (library.parent / "libweft_opencl.python").write_text("version = 3.99\nlibpython = /nowhere.so\n")
    said, errors = probe(library, tmp_path)
    assert said == "-1 0\n"
    assert errors == f"weft: this program is not Python and no shared libpython was found for {tmp_path}\n"


def test_library_whose_place_tells_nothing_and_without_record(tmp_path: Path) -> None:
    said, errors = probe(copy(tmp_path), tmp_path)
    assert said == "-1 0\n"
    assert "no shared libpython was found" in errors


def ask(library: Path, *options: str, folder: Path = Path("/")) -> subprocess.CompletedProcess[str]:
    """Ask for the devices from a Python process in a folder, without the packages of its environment."""
    text = f"""
import ctypes
library = ctypes.CDLL({str(library)!r})
platform = ctypes.c_void_p()
library.clIcdGetPlatformIDsKHR(1, ctypes.byref(platform), None)
library.clGetExtensionFunctionAddress.restype = ctypes.c_void_p
address = library.clGetExtensionFunctionAddress(b"clGetDeviceIDs")
function = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p
)
print(function(address)(platform, 0xFFFFFFFF, 1, ctypes.byref(ctypes.c_void_p()), None))
"""
    command = [sys.executable, *options, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=folder)


def test_other_version_of_python_is_refused_with_a_message(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.99" / "site-packages"
    result = ask(copy(site), "-I", "-S")
    assert result.stdout == "-1\n"
    assert result.stderr.startswith(f"weft: installed for Python 3.99 ({site}), not for the 3.")


def test_python_that_does_not_know_weft_is_shown_where_it_is(tmp_path: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = tmp_path / "lib" / version / "site-packages"
    library = copy(site)
    (site / "weft" / "__init__.py").write_text("")
    (site / "weft" / "icd" / "__init__.py").write_text("")
    (site / "weft" / "icd" / "driver.py").write_text("def attach(address): print('attached', address > 0)\n")
    result = ask(library, "-I", "-S")
    assert result.stdout == "attached True\n-1\n"


def test_packages_of_the_recorded_environment_are_found(tmp_path: Path) -> None:
    library = copy(tmp_path / "tree")
    register.record_interpreter(library)
    added = [str(tmp_path / "tree"), sysconfig.get_path("platlib")]
    (tmp_path / "tree" / "weft" / "__init__.py").write_text("")
    (tmp_path / "tree" / "weft" / "icd" / "__init__.py").write_text("")
    (tmp_path / "tree" / "weft" / "icd" / "driver.py").write_text(
        f"import sys\ndef attach(address): print(sys.path[-2:] == {added!r})\n"
    )
    assert ask(library, "-I", "-S").stdout == "True\n-1\n"


def test_weft_in_the_current_folder_finds_the_packages_of_the_recorded_environment(tmp_path: Path) -> None:
    library = copy(tmp_path)
    register.record_interpreter(library)
    (tmp_path / "weft" / "__init__.py").write_text("")
    (tmp_path / "weft" / "icd" / "__init__.py").write_text("")
    (tmp_path / "weft" / "icd" / "driver.py").write_text(
        "import _cffi_backend\ndef attach(address): print('attached')\n"
    )
    result = ask(library, "-S", folder=tmp_path)
    assert (result.stdout, result.stderr) == ("attached\n-1\n", "")


def test_driver_that_cannot_be_imported_is_explained(tmp_path: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    result = ask(copy(tmp_path / "lib" / version / "site-packages"), "-I", "-S")
    assert result.stdout == "-1\n"
    told = result.stderr
    assert told.startswith(
        (
            "weft: the driver cannot start in Python: ImportError(",
            "weft: the driver cannot start in Python: Mod",
        )
    )
    assert told.count("\n") == 1 and told.endswith(")\n")


def test_driver_that_cannot_be_imported_is_explained_at_length_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    told = ask(copy(tmp_path / "lib" / version / "site-packages"), "-I", "-S").stderr
    assert told.startswith("weft: the driver cannot start in Python: ")
    assert "ImportError: " in told or "ModuleNotFoundError: " in told
