"""Modules that come from one file, what they compile ahead, and what happens if it does not fit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import weft
from weft import archive, module_archive
from weft.builtins import library, precompiled
from weft.cli import prepare
from weft.dataclasses import compile_method, method_texts
from weft.frontend.options import BuildOptions

PACKAGE = Path(weft.__file__).parent


def test_an_archive_returns_its_pieces(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "archive")
    writer = archive.ArchiveWriter()
    places = [writer.add(data) for data in (b"first", b"", b"third")]
    writer.write(path, ("version", 1), {"places": places})
    opened = archive.open_archive(path, ("version", 1))
    assert opened is not None
    assert [opened.read(place) for place in opened.index["places"]] == [b"first", b"", b"third"]
    assert os.listdir(tmp_path / "folder") == ["archive"]


def test_an_archive_of_another_identity_is_none(tmp_path: Path) -> None:
    path = str(tmp_path / "archive")
    archive.ArchiveWriter().write(path, 1, {})
    assert archive.open_archive(path, 2) is None
    assert archive.open_archive(str(tmp_path / "other"), 1) is None


@pytest.mark.parametrize("length", [0, 5, 14, 20, 31, 33, 38])
def test_a_shortened_archive_is_none(length: int, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    writer = archive.ArchiveWriter()
    place = writer.add(b"piece")
    writer.write(str(path), "identity", [place])
    path.write_bytes(path.read_bytes()[:length])
    assert archive.open_archive(str(path), "identity") is None


def test_pieces_of_an_archive_that_was_replaced_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    writer = archive.ArchiveWriter()
    place = writer.add(b"piece")
    writer.write(str(path), 1, None)
    opened = archive.open_archive(str(path), 1)
    assert opened is not None and opened.read(place) == b"piece"
    writer.write(str(path), 1, None)
    assert opened.read(place) is None
    path.unlink()
    assert opened.read(place) is None


def test_a_damaged_piece_is_no_value(tmp_path: Path) -> None:
    writer = archive.ArchiveWriter()
    place = writer.add(b"\xff\xff")
    writer.write(str(tmp_path / "archive"), 1, None)
    opened = archive.open_archive(str(tmp_path / "archive"), 1)
    assert opened is not None and opened.load(place) is None


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    writer = archive.ArchiveWriter()
    writer.add("not bytes")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        writer.write(str(tmp_path / "archive"), 1, None)
    assert os.listdir(tmp_path) == []


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with an archive."""
    copy = tmp_path_factory.mktemp("copy") / "weft"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.archive"))
    run(copy, "from weft.cli.prepare import prepare_modules as p; assert p(); assert not p()")
    assert [path.name for path in (copy / "__pycache__").glob("*.archive")] == [
        Path(module_archive.PATH).name
    ]
    return copy


def run(package: Path, program: str) -> str:
    """Run Python with that copy of Weft; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    return subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, text=True, stdout=subprocess.PIPE, check=True
    ).stdout


LOADER = "import weft.settings as s; print(type(s.__loader__).__name__, s.__file__, s.__cached__)"


def test_modules_come_from_the_archive(prepared: Path) -> None:
    path = prepared / "settings.py"
    cached = f"{prepared}/__pycache__/settings.{sys.implementation.cache_tag}.pyc"
    assert run(prepared, LOADER).split() == ["_Loader", str(path), cached]
    assert run(prepared, "import weft.ir; print(weft.ir.__path__)").strip() == str([str(prepared / "ir")])
    # As in any module, tracebacks have source lines.
    program = "import inspect, weft.settings as s; print(inspect.getsource(s.get)); s.get('WEFT_NO')"
    environment = {**os.environ, "PYTHONPATH": str(prepared.parent)}
    failed = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, text=True, capture_output=True, check=False
    )
    assert failed.stdout.startswith("def get(")
    assert f'File "{path}", line' in failed.stderr


def test_a_changed_module_is_imported_from_its_source(prepared: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(prepared, tmp_path / "weft")  # elsewhere: paths in the code would be wrong
    assert run(copy, LOADER).split()[0] == "SourceFileLoader"
    path = prepared / "settings.py"
    before, status = path.read_text(), path.stat()
    try:
        path.write_text(before + "ADDED = 1\n")
        assert run(prepared, "import weft.settings; print(weft.settings.ADDED)") == "1\n"
        assert run(prepared, LOADER).split()[0] == "SourceFileLoader"
    finally:
        path.write_text(before)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(prepared, LOADER).split()[0] == "_Loader"


def test_python_imports_modules_if_the_archive_is_damaged(prepared: Path) -> None:
    (path,) = (prepared / "__pycache__").glob("*.archive")
    data = path.read_bytes()
    try:
        for damaged in (b"", data[:1000], b"x" * 1000):
            path.write_bytes(damaged)
            assert run(prepared, LOADER).split()[0] == "SourceFileLoader"
    finally:
        path.write_bytes(data)


def test_all_modules_import_from_the_archive_as_from_their_sources(prepared: Path) -> None:
    program = """
import sys, weft.icd.driver, weft.build_process, weft.group_code
weft.group_code.load_compiler()
modules = [module for name, module in sys.modules.items() if name.startswith("weft.")]
modules = [module for module in modules if (getattr(module, "__file__", None) or "").endswith(".py")]
print([(module.__name__, type(module.__loader__).__name__) for module in modules])
"""
    loaders = dict(eval(run(prepared, program)))
    python = {name for name, loader in loaders.items() if loader != "_Loader"}
    assert python == {"weft.archive", "weft.module_archive"}  # they read the archive
    assert len(loaders) > 400


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[Any, Any]]:
    """What is compiled ahead, written by this process."""
    prepare._load_everything()
    found = {"patterns": prepare._patterns(), "methods": prepare._methods()}
    monkeypatch.setattr(module_archive, "_section", found.__getitem__)
    return found


def test_patterns_compiled_ahead_are_those_of_python(tables: dict[str, dict[Any, Any]]) -> None:
    assert len(tables["patterns"]) > 150
    for _, text, flags in tables["patterns"]:
        ahead, python = module_archive.pattern_of(text, flags), re.compile(text, flags)
        assert ahead == python
        assert ahead is not None
        assert (ahead.flags, ahead.groups, ahead.groupindex) == (
            python.flags,
            python.groups,
            python.groupindex,
        )
    assert module_archive.pattern_of("another", 0) is None


def test_methods_compiled_ahead_are_those_of_python(tables: dict[str, dict[Any, Any]]) -> None:
    texts = method_texts(BuildOptions)
    assert len(texts) == 4 and set(texts) <= set(tables["methods"])
    for text in texts:
        assert module_archive.method_code(text) == compile_method(text)
    assert method_texts(type("Subclass", (BuildOptions,), {})) == []
    assert module_archive.method_code("another") is None


def test_the_command_writes_and_removes_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module_archive, "PATH", str(tmp_path / "modules"))
    monkeypatch.setattr(precompiled, "PATH", str(tmp_path / "builtins"))
    monkeypatch.setattr(library, "common_symbols", lambda _: ["_Z3sinf"])
    library._ahead.cache_clear()
    precompiled.precompiled.cache_clear()
    for arguments, said in (
        ([], "prepared modules and built-ins"),
        ([], "up to date"),
        (["--remove"], "removed 2 files"),
        (["--remove"], "removed 0 files"),
    ):
        assert prepare.run(arguments) == 0
        assert capsys.readouterr().out == f"{said}\n"
    assert os.listdir(tmp_path) == []
    library._ahead.cache_clear()
    precompiled.precompiled.cache_clear()
