"""Starting clang, and what happens when that is not possible."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.errors import BuildError, ToolError
from weft.frontend import clang
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.frontend.source_key import header_key
from weft.target import x86

ARGUMENTS = ["-triple", "spir64", "-x", "cl", "-emit-llvm", "-o", "-"]


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What is remembered of the binary is looked up anew, before and after the test."""
    clang.binary.cache_clear()
    yield
    clang.binary.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str | None) -> None:
    """Make the look-up of the package end in `folder`, where `script` is the binary."""
    spec = importlib.util.spec_from_loader("ziglang", loader=None, is_package=True)
    assert spec is not None
    spec.submodule_search_locations = [str(folder)]
    if script is not None:
        (folder / "zig").write_text(script)
        (folder / "zig").chmod(0o755)
    monkeypatch.setattr(clang.importlib.util, "find_spec", lambda name: spec)


def compile_empty() -> None:
    compile_source("", parse_options(""), x86.describe("x86-64"))


def test_source_is_translated_to_ir_and_diagnostics() -> None:
    result = clang.run_clang(ARGUMENTS, "kernel void k(void) { 1 == 2; }")
    assert result.returncode == 0
    assert "spir_kernel void @k()" in result.output
    assert result.diagnostics.startswith("<source>:1:25: warning:")


def test_a_bad_source_is_a_result_not_an_exception() -> None:
    result = clang.run_clang(ARGUMENTS, "nonsense")
    assert result.returncode == 1 and result.output == "" and "<source>:1:1: error:" in result.diagnostics


@pytest.mark.usefixtures("forgotten")
def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clang.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolError, match="pip install"):
        compile_empty()


@pytest.mark.usefixtures("forgotten")
def test_a_package_without_its_binary_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, None)
    with pytest.raises(ToolError, match="missing or incomplete"):
        compile_empty()


@pytest.mark.usefixtures("forgotten")
def test_a_binary_that_cannot_start_is_a_tool_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, "#!/no/such/interpreter\n")
    with pytest.raises(ToolError, match="cannot start"):
        compile_empty()


@pytest.mark.usefixtures("forgotten")
def test_a_crash_of_clang_is_a_build_error_without_its_stack(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    crash = (
        "echo '<source>:1:1: note: here' >&2; echo 'PLEASE submit a bug report' >&2; echo '0. /bin/zig' >&2"
    )
    pretend(monkeypatch, tmp_path, f"#!/bin/sh\ncat >/dev/null\n{crash}\nkill -ABRT $$\n")
    with pytest.raises(BuildError) as caught:
        compile_empty()
    assert caught.value.log == "<source>:1:1: note: here\nerror: clang ended abnormally (status -6)\n"


@pytest.mark.usefixtures("forgotten")
def test_no_output_is_never_taken_for_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, "#!/bin/sh\ncat >/dev/null\nexit 0\n")
    with pytest.raises(BuildError, match="neither output nor a diagnostic"):
        compile_empty()


def test_the_key_of_the_front_end_is_stable() -> None:
    key = header_key()
    header_key.cache_clear()
    assert header_key() == key and len(key) == 64
