"""Files that programs include: only regular ones of bounded size are read, once; clang sees nothing else."""

import hashlib
import os
import socket
from pathlib import Path

import pytest

from weft.errors import BuildError
from weft.frontend import compile as compile_module
from weft.frontend import headers
from weft.frontend.compile import Translation, compile_source
from weft.frontend.options import parse_options
from weft.frontend.source_key import unchanged
from weft.target import x86

KERNEL = "kernel void k(global int *p) { *p = VALUE; }\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_BUILD_SECONDS", "30")
    return tmp_path


def translate(source: str, options: str = "", **more) -> Translation:
    return compile_source(source, parse_options(options), x86.describe("x86-64-v3"), **more)


def log_of(source: str, options: str = "") -> str:
    with pytest.raises(BuildError) as caught:
        translate(source, options)
    return caught.value.log


def fifo(path: Path) -> str:
    os.mkfifo(path)
    return "a FIFO"


def device(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return "a character device"


def link_to_a_fifo(path: Path) -> str:
    os.mkfifo(path.with_name("other"))
    path.symlink_to("other")
    return "a FIFO"


def directory(path: Path) -> str:
    path.mkdir()
    return "a directory"


def listener(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    return "a socket"


def huge(path: Path) -> str:
    path.touch()
    os.truncate(path, 4 << 30)
    return "larger than 64 MiB"


def loop(path: Path) -> str:
    path.symlink_to(path)
    return "Too many levels of symbolic links"


ODD_FILES = [fifo, device, link_to_a_fifo, directory, listener, huge, loop]


@pytest.mark.parametrize("make", ODD_FILES)
@pytest.mark.parametrize(
    "text",
    [
        '#include "odd"\n',
        "#include <odd>\n",
        '#define NAME "odd"\n#include NAME\n',
        "#define TEXT(x) #x\n#define NAME(x) TEXT(x)\n#include NAME(odd)\n",
        '#include "good.h"\n#include_next "odd"\n',
        '#include "leads_to_odd.h"\n',
        'constant uchar a[] = {\n#embed "odd"\n};\n',
        '#pragma GCC dependency "odd"\n',
    ],
    ids=["quoted", "angled", "macro", "pasted", "next", "nested", "embedded", "dependency"],
)
def test_what_is_no_file_is_a_build_error(folder: Path, make, text: str):
    (folder / "good.h").write_text("")
    (folder / "leads_to_odd.h").write_text('#include "odd"\n')
    reason = make(folder / "odd")
    log = log_of(text + KERNEL, "-DVALUE=1 -I .")
    assert "error: 'odd' cannot be included: " in log and reason in log


def test_a_device_is_a_build_error_by_its_own_name():
    log = log_of('#include "/dev/zero"\n' + KERNEL, "-DVALUE=1")
    assert log.startswith(
        "<source>:1:10: fatal error: '/dev/zero' cannot be included: it is a character device"
    )


@pytest.mark.parametrize("make", ODD_FILES)
def test_programs_may_ask_for_what_is_no_file(folder: Path, make):
    make(folder / "odd")
    text = '#if __has_include("odd")\n#define VALUE 1\n#else\n#define VALUE 42\n#endif\n'
    assert "i32 42" in translate(text + KERNEL).ir


def test_a_folder_of_headers_may_be_anything(folder: Path):
    make = folder / "not_a_folder"
    fifo(make)
    (folder / "a.h").write_text("#define VALUE 42\n")
    options = f"-I {make} -I /dev/zero -I missing"
    assert "i32 42" in translate('#include "a.h"\n' + KERNEL, options).ir
    assert "'b.h' file not found" in log_of('#include "b.h"\n' + KERNEL, options)


def test_names_made_by_macros_are_found(folder: Path):
    (folder / "inner").mkdir()
    (folder / "inner" / "a.h").write_text("#define TEXT(x) #x\n#define NAME(x) TEXT(x.h)\n#include NAME(b)\n")
    (folder / "inner" / "b.h").write_text("#include NAME(c)\n")
    (folder / "inner" / "c.h").write_text("#define VALUE 42\n")
    made = translate('#include "inner/a.h"\n' + KERNEL)
    assert "i32 42" in made.ir
    assert [Path(path).name for path, _ in made.dependencies] == ["a.h", "b.h", "c.h"]


def test_the_next_file_of_a_name_is_found(folder: Path):
    for name, text in (("one", "#include_next <a.h>\n"), ("two", "#define VALUE 42\n")):
        (folder / name).mkdir()
        (folder / name / "a.h").write_text(text)
    assert "i32 42" in translate("#include <a.h>\n" + KERNEL, "-I one -I two").ir


def test_a_digest_is_that_of_the_text_that_was_compiled(folder: Path, monkeypatch):
    """The file changes right before clang runs: what is compiled is what was read, and its digest tells."""
    file = folder / "a.h"
    file.write_text("#define VALUE 42\n")
    run = compile_module.run_clang

    def change_and_run(*arguments, **more):
        file.write_text("#define VALUE 43\n")
        return run(*arguments, **more)

    monkeypatch.setattr(compile_module, "run_clang", change_and_run)
    made = translate('#include "a.h"\n' + KERNEL)
    assert "i32 42" in made.ir
    assert made.dependencies == ((str(file), hashlib.sha256(b"#define VALUE 42\n").hexdigest()),)
    assert not unchanged(made.dependencies)


def test_embedded_files_and_absent_ones_are_dependencies(folder: Path):
    (folder / "data").write_bytes(b"\7")
    text = 'constant uchar a[] = {\n#embed "data"\n};\n#define VALUE a[*p]\n'
    made = translate(text + KERNEL)
    assert unchanged(made.dependencies)
    (folder / "data").write_bytes(b"\x08")
    assert not unchanged(made.dependencies)
    made = translate('#if __has_include("late.h")\n#endif\n#define VALUE 1\n' + KERNEL)
    assert unchanged(made.dependencies)
    (folder / "late.h").touch()
    assert not unchanged(made.dependencies)


def test_a_dependency_that_became_a_fifo_or_a_device_has_changed(folder: Path):
    file = folder / "a.h"
    file.write_text("#define VALUE 42\n")
    made = translate('#include "a.h"\n' + KERNEL)
    for make in ODD_FILES:
        if file.is_dir():
            file.rmdir()
        else:
            file.unlink()
        (folder / "other").unlink(missing_ok=True)
        make(file)
        assert not unchanged(made.dependencies)


def test_all_files_together_are_bounded(folder: Path, monkeypatch):
    monkeypatch.setattr(headers, "MOST_BYTES_IN_ALL", 1000)
    for name in ("a.h", "b.h"):
        (folder / name).write_text("//" + "x" * 600)
    assert "included files have more than" in log_of('#include "a.h"\n#include "b.h"\n' + KERNEL, "-DVALUE=1")


def test_files_that_include_each_other_end(folder: Path):
    (folder / "a.h").write_text('#include "b.h"\n')
    (folder / "b.h").write_text('#include "a.h"\n')
    assert "nested too deeply" in log_of('#include "a.h"\n' + KERNEL, "-DVALUE=1")


@pytest.mark.parametrize("name", ["with space", "größe", 'quo"te', "back\\slash", "#{}[]:,'&*"])
def test_folders_may_have_any_names(folder: Path, name: str):
    (folder / name).mkdir()
    (folder / name / "a.h").write_text("#define VALUE 42\n")
    options = parse_options("")
    options = type(options)(**{**vars(options), "include_dirs": (str(folder / name),)})
    assert "i32 42" in compile_source("#include <a.h>\n" + KERNEL, options, x86.describe("x86-64-v3")).ir


def test_folders_may_have_names_that_are_no_text(folder: Path):
    name = os.fsdecode(bytes(folder) + b"/\xff\xfe")
    os.mkdir(name)
    Path(name, "a.h").write_text("#define VALUE 42\n")
    options = parse_options("")
    options = type(options)(**{**vars(options), "include_dirs": (name,)})
    assert "i32 42" in compile_source("#include <a.h>\n" + KERNEL, options, x86.describe("x86-64-v3")).ir


def test_a_file_that_appears_before_the_included_one_is_a_change(folder: Path):
    for name in ("first", "second"):
        (folder / name).mkdir()
    dependencies: tuple[tuple[str, str], ...] = (("/", "not empty"),)
    for value, place in enumerate(("second/a.h", "first/a.h", "a.h")):
        (folder / place).write_text(f"#define VALUE 4{value}\n")
        assert not unchanged(dependencies)
        made = translate('#include "a.h"\n' + KERNEL, "-I first -I second")
        dependencies = made.dependencies
        assert f"i32 4{value}" in made.ir and unchanged(dependencies)


def test_embedded_headers_take_precedence_over_files(folder: Path):
    (folder / "a b.h").write_text("#define VALUE 41\n")
    made = translate('#include "a b.h"\n' + KERNEL, headers={"a b.h": "#define VALUE 42\n"})
    assert "i32 42" in made.ir


@pytest.mark.parametrize("split", ["\\\n", "\\ \t\r\n", "??/\n"])
def test_an_include_that_is_split_over_lines_is_found(folder: Path, split: str) -> None:
    (folder / "value.h").write_text("#define VALUE 3\n")
    found = translate(f'#inc{split}lude "val{split}ue.h"\n' + KERNEL)
    assert [path for path, digest in found.dependencies if digest] == [str(folder / "value.h")]
    (folder / "value.h").unlink()
    os.mkfifo(folder / "value.h")
    assert "cannot be included: it is a FIFO" in log_of(f'#inc{split}lude "val{split}ue.h"\n' + KERNEL)
