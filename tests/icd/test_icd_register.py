"""Registration: `.icd` files for loaders, and the record of the interpreter."""

import sys
from pathlib import Path

import pytest

from weft.icd import register


def test_registers_in_a_new_folder_and_removes_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "vendors"
    path = register.register(folder)
    assert path.read_text() == f"{register.library_path()}\n"
    assert [p.name for p in folder.iterdir()] == ["weft.icd"]
    assert register.unregister(folder) == path
    assert register.unregister(folder) is None


def test_replaces_a_file_that_leads_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "weft.icd").write_text("/nowhere/libweft_opencl.so\n")
    register.register(tmp_path)
    assert (tmp_path / "weft.icd").read_text().strip() == str(register.library_path())


def test_leaves_a_relative_file_that_leads_to_the_library(tmp_path: Path) -> None:
    loader = tmp_path.joinpath(*register.LOADER_FOLDER)
    loader.mkdir(parents=True)
    (tmp_path / "weft").mkdir()
    (tmp_path / "weft" / "icd").symlink_to(register.library_path().parent)
    (loader / "weft.icd").write_text(register.RELATIVE_CONTENT)
    register.register(loader)
    assert (loader / "weft.icd").read_text() == register.RELATIVE_CONTENT


def test_says_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(register.RegistrationError, match=r"cannot write .*weft\.icd"):
        register.register(tmp_path / "file")
    with pytest.raises(register.RegistrationError, match=r"cannot remove .*weft\.icd"):
        register.unregister(tmp_path / "file")


def test_finds_the_loader_that_pyopencl_brings() -> None:
    assert any(register.loader_folder().glob("libOpenCL*"))


def test_says_when_pyopencl_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(register.RegistrationError, match="pyopencl is not installed"):
        register.loader_folder()


def test_records_the_interpreter(tmp_path: Path) -> None:
    library = tmp_path / register.LIBRARY
    register.record_interpreter(library)
    lines = dict(line.split(" = ") for line in (tmp_path / "libweft_opencl.python").read_text().splitlines())
    assert lines["program"] == sys.executable
    assert lines["version"] == f"{sys.version_info.major}.{sys.version_info.minor}"
