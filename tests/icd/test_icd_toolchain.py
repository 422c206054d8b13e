"""Compiling C without a system compiler, a home folder or Python's headers."""

import subprocess
from pathlib import Path

import pytest

from weft.icd import generate, toolchain


def test_compiles_where_the_home_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("a file, not a folder")
    for name in ("XDG_CACHE_HOME", "ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/nonexistent")
    (tmp_path / "seven.c").write_text("int main(void) { return 7; }\n")
    toolchain.compile_c([tmp_path / "seven.c"], tmp_path / "seven", shared=False)
    assert subprocess.run([tmp_path / "seven"], check=False).returncode == 7


def test_says_what_the_compiler_said(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int f(void) { return nonsense; }\n")
    with pytest.raises(toolchain.CompileError, match="nonsense"):
        toolchain.compile_c([tmp_path / "wrong.c"], tmp_path / "wrong.so")
    assert not (tmp_path / "wrong.so").exists()


def test_generated_c_has_no_warnings(tmp_path: Path) -> None:
    (tmp_path / "weft_entries.h").write_text(generate.shim_header())
    native = Path(generate.__file__).parent / "native"
    toolchain.compile_c(
        [native / "shim.c", native / "locate.c"],
        tmp_path / "libweft_opencl.so",
        include=[tmp_path, native],
        arguments=["-Werror", "-ldl"],
    )


def test_replaces_a_library_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text("int one(void) { return 1; }\n")
    output = tmp_path / "one.so"
    toolchain.compile_c([tmp_path / "one.c"], output)
    before = output.stat().st_ino
    toolchain.compile_c([tmp_path / "one.c"], output)
    assert output.stat().st_ino != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.c", "one.so"]
