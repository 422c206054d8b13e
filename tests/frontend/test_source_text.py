"""Sources as hosts really pass them, and the files they include."""

import hashlib
import os
from pathlib import Path

import pytest

from weft.errors import BuildError
from weft.frontend.compile import Translation, compile_source
from weft.frontend.options import parse_options
from weft.frontend.source_key import source_text, translation_key, unchanged
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
KERNEL = "kernel void k(global int *a) { a[0] = 1; }"


def build(source: str, options: str = "") -> Translation:
    return compile_source(source, parse_options(options), TARGET)


def names(translation: Translation) -> list[str]:
    return [kernel.name for kernel in translation.kernels]


@pytest.mark.parametrize(
    "source",
    [
        KERNEL,
        KERNEL + "\n",
        KERNEL.replace(" ", "\r\n"),
        KERNEL + "\r\n\r\n",
        "\ufeff" + KERNEL,
        KERNEL + "\0",
        KERNEL + "\n\0\0",
        KERNEL + " // no newline",
        "/* Größe 大きさ */ " + KERNEL,
        "#define END \\\r\n }\r\nkernel void k(global int *a) { a[0] = 1; END",
        "\f\v\t" + KERNEL,
        "// " + "x" * 1_000_000 + "\n" + KERNEL,
    ],
)
def test_sources_of_every_shape_compile_silently(source: str) -> None:
    translation = build(source)
    assert names(translation) == ["k"] and translation.log == ""


@pytest.mark.parametrize("source", ["", " ", "\n", "\0", "// nothing\n", "\ufeff"])
def test_an_empty_source_is_a_program_without_kernels(source: str) -> None:
    assert build(source).kernels == ()


def test_bytes_that_are_not_utf_8_survive() -> None:
    source = source_text(b"// caf\xe9 \xff\n" + KERNEL.encode() + b'\nconstant char latin[] = "\xe9";\n')
    translation = build(source)
    assert names(translation) == ["k"]
    assert 'c"\\E9\\00"' in translation.ir


def test_utf_8_strings_keep_their_bytes() -> None:
    assert 'c"\\C3\\A9\\00"' in build(source_text('constant char s[] = "é";'.encode())).ir


def test_a_nul_inside_the_source_is_a_warning_or_an_error_not_an_end() -> None:
    translation = build(f"kernel void first(void) {{}} \0 {KERNEL}")
    assert names(translation) == ["first", "k"] and "null character" in translation.log


def test_binary_garbage_is_an_ordinary_error() -> None:
    with pytest.raises(BuildError) as caught:
        build(source_text(bytes(range(256)) * 4))
    assert "<source>:1:" in caught.value.log


def test_text_that_cannot_be_encoded_is_a_clean_error() -> None:
    with pytest.raises(BuildError, match="not valid UTF-8 text"):
        build("\ud800" + KERNEL)


def test_deep_nesting_is_a_clean_error() -> None:
    with pytest.raises(BuildError, match="nesting level"):
        build("kernel void k(global int *a) { a[0] = " + "(" * 5000 + "1" + ")" * 5000 + "; }")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a few headers."""
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / "outer.h").write_text('#include "inner.h"\n')
    (tmp_path / "with space" / "inner.h").write_text("#define VALUE 42\n")
    (tmp_path / "here.h").write_text("#define VALUE 7\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


USES = "\nkernel void k(global int *a) { a[0] = VALUE; }\n"


def test_includes_come_from_the_directories_of_the_options(folder: Path) -> None:
    for option in ("-I 'with space'", f'-I"{folder}/with space"'):
        translation = build('#include "outer.h"' + USES, option)
        assert "store i32 42," in translation.ir and translation.log == ""
        assert "store i32 42," in build("#include <outer.h>" + USES, option).ir


def test_includes_in_quotes_also_come_from_the_working_directory(folder: Path) -> None:
    assert "store i32 7," in build('#include "here.h"' + USES).ir


def test_system_headers_are_out_of_reach() -> None:
    for header in ("stdio.h", "stddef.h", "weft_opencl.h", "opencl-c.h"):
        with pytest.raises(BuildError, match="file not found"):
            build(f"#include <{header}>\n" + KERNEL)


def test_the_environment_adds_no_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"):
        monkeypatch.setenv(variable, str(folder / "with space"))
    with pytest.raises(BuildError, match="file not found"):
        build("#include <inner.h>" + USES)


def test_the_files_of_an_include_are_recorded_with_their_digests(folder: Path) -> None:
    translation = build('#include "outer.h"\n#include "inner.h"' + USES, "-I 'with space'")
    expected = []
    for name in ("outer.h", "inner.h"):
        path = folder / "with space" / name
        expected.append((str(path), hashlib.sha256(path.read_bytes()).hexdigest()))
    # Beside the source there is no such file; one that appears would be included instead.
    absent = [(str(folder / name), "") for name in ("inner.h", "outer.h")]
    found = translation.dependencies
    assert [d for d in found if d[1]] == expected
    assert sorted(d for d in found if not d[1]) == absent


def test_a_changed_or_missing_include_is_noticed(folder: Path) -> None:
    dependencies = build('#include "here.h"' + USES).dependencies
    assert dependencies and unchanged(dependencies)
    (folder / "here.h").write_text("#define VALUE 8\n")
    assert not unchanged(dependencies)
    os.remove(folder / "here.h")
    assert not unchanged(dependencies)


def test_without_includes_there_are_no_dependencies() -> None:
    assert build(KERNEL).dependencies == ()
    assert build("// what an include would be\n" + KERNEL).dependencies == ()


def test_the_log_of_a_build_with_includes_lists_warnings_only(folder: Path) -> None:
    (folder / "odd.h").write_text("void f(int x) { x == 1; }\n")
    log = build('#include "here.h"\n#include "odd.h"' + USES).log
    assert "odd.h:1:19: warning: equality comparison" in log
    assert not any(line.startswith(". ") for line in log.splitlines())


def test_a_missing_include_is_an_error_at_its_line() -> None:
    with pytest.raises(BuildError, match=r"<source>:2:10: fatal error: 'missing.h' file not found"):
        build('\n#include "missing.h"\n')


def test_a_file_of_the_name_of_the_source_is_not_confused_with_it(folder: Path) -> None:
    (folder / "source.cl").write_text("#define VALUE 9\n")
    assert "store i32 9," in build('#include "source.cl"' + USES).ir


def test_different_translations_have_different_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parse_options("")
    keys = {
        translation_key(KERNEL, plain),
        translation_key(KERNEL + " ", plain),
        translation_key(KERNEL, parse_options("-w")),
        translation_key('#include "here.h"', plain),
    }
    assert len(keys) == 4
    plain_key, including_key = (
        translation_key(KERNEL, plain),
        translation_key('#include "here.h"', plain),
    )
    monkeypatch.chdir("with space")
    assert translation_key(KERNEL, plain) == plain_key
    assert translation_key('#include "here.h"', plain) != including_key
