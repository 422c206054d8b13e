"""The build log: clang's words about the user's own lines, and no path of Weft's."""

from pathlib import Path

import pytest

import weft
from weft.errors import BuildError
from weft.frontend.clang import binary
from weft.frontend.compile import Translation, compile_source
from weft.frontend.options import parse_options
from weft.target import x86

HOME = str(Path(weft.__file__).parent)


def build(source: str, options: str = "") -> Translation:
    return compile_source(source, parse_options(options), x86.describe("x86-64-v3"))


def log_of(source: str, options: str = "") -> str:
    """The log of a build that has to fail."""
    with pytest.raises(BuildError) as caught:
        build(source, options)
    log = caught.value.log
    assert HOME not in log and str(binary().parent) not in log
    return log


def test_an_error_names_line_and_column_of_the_source() -> None:
    log = log_of("kernel void k(global int *a)\n{\n    a[0] = missing;\n}\n")
    assert log.startswith("<source>:3:12: error: use of undeclared identifier 'missing'\n")
    assert "    3 |     a[0] = missing;\n" in log


def test_every_error_is_reported() -> None:
    log = log_of("\n".join(f"kernel void k{i}(global int *a) {{ a[0] = missing{i}; }}" for i in range(40)))
    assert all(f"<source>:{i + 1}:" in log for i in range(40))


def test_a_missing_semicolon() -> None:
    log = log_of("kernel void k(global int *a) { a[0] = 1 }")
    assert "<source>:1:40: error: expected ';' after expression" in log


def test_line_directives_of_the_user_are_followed() -> None:
    assert "generated.py:71:" in log_of('#line 71 "generated.py"\nint x = y;\n')


def test_the_name_of_the_source_file_macro() -> None:
    assert 'c"<source>\\00"' in build("constant char name[] = __FILE__;").ir


def test_errors_in_macros_of_the_header_show_no_path() -> None:
    log = log_of("kernel void k(global float *a) {\n  a[0] = as_float(1L);\n}")
    assert "<source>:2:10: error: invalid reinterpretation: sizes of 'float' and 'long' must match" in log
    assert "weft_opencl.h" not in log


def test_a_type_of_the_header_shows_no_path() -> None:
    log = log_of("kernel void k(size_t n) {}")
    assert log.startswith("<source>:1:")
    assert "weft_opencl.h" not in log


def test_redefining_a_type_of_the_header_is_allowed_or_explained() -> None:
    assert build("typedef unsigned int uint;\nkernel void k(uint n) {}").kernels
    log = log_of("typedef float uint;\n")
    assert "<source>:1:15: error: typedef redefinition with different types" in log


def test_assembly_outside_of_functions_is_an_error() -> None:
    with pytest.raises(BuildError, match="assembly outside of functions is not supported"):
        compile_source('__asm__(".globl f"); kernel void k() {}', parse_options(""), x86.describe("x86-64"))


def test_warnings_are_in_the_log_of_a_good_build() -> None:
    translation = build("kernel void k(global int *a) { a[0] == 1; }")
    assert translation.log.startswith("<source>:1:37: warning: equality comparison result unused")
    assert "generated" not in translation.log


def test_a_clean_build_has_an_empty_log() -> None:
    assert build("kernel void k(global int *a) { a[0] = 1; }").log == ""


def test_w_silences_warnings() -> None:
    assert build("kernel void k(global int *a) { a[0] == 1; }", "-w").log == ""


def test_warnings_may_be_errors() -> None:
    log = log_of("kernel void k(global int *a) { a[0] == 1; }", "-Werror")
    assert "error: equality comparison result unused [-Werror,-Wunused-comparison]" in log


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ("global float4 *p = a; p[0] = 0;", "incompatible-pointer-types"),
        ("long p = a; a[0] = p;", "int-conversion"),
    ],
)
def test_what_older_compilers_let_pass_is_a_warning(body: str, warning: str) -> None:
    source = f"kernel void k(global float *a) {{ {body} }}"
    assert f"[-W{warning}]" in build(source).log
    assert "error: incompatible pointer" in log_of(source, "-Werror")


def test_an_error_directive_of_the_user() -> None:
    log = log_of("#ifndef SIZE\n#error SIZE is not defined\n#endif\n")
    assert "<source>:2:2: error: SIZE is not defined" in log
    assert build("#ifndef SIZE\n#error SIZE is not defined\n#endif\n", "-DSIZE=3").log == ""


def test_a_macro_of_the_options_is_shown_as_such() -> None:
    assert "<command line>:" in log_of("kernel void k(void) { VALUE; }", "-DVALUE=missing")


def test_recursion_and_other_forbidden_things_are_errors() -> None:
    assert "error" in log_of("int x;\nkernel void k(void) {}")
    assert "error" in log_of("kernel int k(void) { return 1; }")
    assert "error" in log_of("kernel void k(int *p) {}")
