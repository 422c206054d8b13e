"""A division by a constant zero has an open quotient; what depends on it is one of what the source says."""

import numpy as np
import pyopencl as cl
import pytest

from weft.errors import LimitExceeded
from weft.frontend import compile
from weft.frontend.folded_divisions import has_directives, read_from_variables, zero_divisors
from weft.frontend.options import BuildOptions
from weft.target import x86

HEAD = """
#define NOTHING 0
#define QUOTIENT(a) ((a) / 0)
#define CHOICE(a, b) ((a) / (b) == 3 ? 1 : 2)
#define RATIO(a, b) a / b
#define SAME(a) (a)
#define SUM(a, b) a + b
#define TWO(a) out[60] = a; out[61] = 7
#define TEXT(a) #a
#define TEXT_OF(a) TEXT(a)
constant int table[RATIO(64, 32)] = {RATIO(5, 4), 2};
"""

# Each may have these values only.
CASES = {
    "5 / 0 == 3 ? 1 : 2": (1, 2),
    "5 % (0) > 3 ? 1 : 2": (1, 2),
    "!(7 / 0)": (0, 1),
    "(5 % 0 > 3) && 1": (0, 1),
    "(5u / NOTHING) / 4000000000u": (0, 1),
    "5 / 0 == 3 ? out[63] : out[62]": (1062, 1063),
    "QUOTIENT(5) == 3 ? 1 : 2": (1, 2),
    "CHOICE(5, NOTHING)": (1, 2),
    "CHOICE(5L, 0)": (1, 2),
    "1 / (1 ? 0 : 7 / 0) == 3 ? 1 : 2": (1, 2),
    "5 / /* of */ NOTHING == 1 ? 1 : 2": (1, 2),
    "5 % 0 == 5 % 0 ? (9 / 0 > 4 ? 1 : 2) : 3": (1, 2, 3),
    "(uchar)(5 / 0) < 256": (1,),
    "clamp(5 / 0, 3, 4)": (3, 4),
    "SAME(5 / 0 == 3 ? 1 : 2)": (1, 2),
    "OPTION == 3 ? 1 : 2": (1, 2),
    "RATIO(5, 0) == 3 ? table[0] : table[1]": (1, 2),
    # Other uses of the same macros are as they were.
    "RATIO(7, 1 + 2)": (9,),
    "2 * SUM(out[63], clamp(5 / 0, 1, 1))": (2127,),
    "sizeof TEXT_OF(QUOTIENT(5))": (10,),
}


@pytest.mark.parametrize("options", ["", "-w", "-cl-opt-disable"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_depends_on_an_open_quotient(options, line_end):
    lines = [f"    out[{number}] = {case};" for number, case in enumerate(CASES)]
    lines.insert(2, '#line 70 "renamed.cl"')
    lines.insert(4, '#pragma clang diagnostic ignored "-Wdivision-by-zero"')
    lines.append("    if (out[59] == 0) TWO(5 / 0);")
    source = "\n".join([HEAD, "kernel void k(global int *out) {", *lines, "}"])
    out = _run(source.replace("\n", line_end), [*options.split(), "-DOPTION=(5/(1-1))"])
    wrong = [(case, out[n]) for n, (case, allowed) in enumerate(CASES.items()) if out[n] not in allowed]
    assert not wrong
    assert out[61] == 7


def test_divisions_in_headers(tmp_path):
    tmp_path.joinpath("divide.h").write_text("inline int choice(void) { return 5 / 0 == 3 ? 1 : 2; }\n")
    source = """
    #include "divide.h"
    kernel void k(global int *out) { out[0] = choice(); out[1] = 6 % 0 == 3 ? 1 : 2; }"""
    out = _run(source, ["-I", str(tmp_path)])
    assert out[0] in (1, 2) and out[1] in (1, 2)


# The first compilation takes what `HASH` begins for words of an attribute that it does not know.
HOSTILE = """
#define HASH #
#define JOIN(a, b) a##b
constant int value = 1;
[[x::y(
HASH %s
)]];
kernel void k(global int *out) { out[0] = 5 / 0; out[1] = value; }
"""


@pytest.mark.parametrize("directive", ['JOIN(inc, lude) "%s"', "define value 4711", "ifdef value"])
def test_what_a_macro_writes_is_no_directive(directive, tmp_path):
    header = tmp_path / "value.h"
    header.write_text("#define value 4711\n")
    assert _run(HOSTILE % directive.replace("%s", str(header)), [])[1] == 1


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('# 1 "<source>" 2', False),
        ("#pragma OPENCL EXTENSION all : disable", False),
        ("int a = b # c;", False),
        (' # 1 "<source>"', True),
        (" #include <a>", True),
        ("\t\v%:include <a>", True),
        ("?" + "?=include <a>", True),
        ("\0#include <a>", True),
        (" \0 \0#include <a>", True),
        ("#include <a>", True),
        ("int a;\r#include <a>", True),
    ],
)
def test_directives_of_a_preprocessed_source(line, found):
    assert has_directives(f"int first;\n{line}\nint last;\n") == found
    assert has_directives(line) == found


def test_a_build_does_not_end_by_what_is_only_looked_for(monkeypatch):
    """A build that reaches its limits after its module is there keeps the module."""
    target, options = x86.describe("x86-64-v3"), BuildOptions()
    run, runs = compile.run_clang, []

    def run_once(*arguments, **words):
        runs.append(arguments)
        if len(runs) > 1:
            raise LimitExceeded("too slow")
        return run(*arguments, **words)

    monkeypatch.setattr(compile, "run_clang", run_once)
    source = "kernel void k(global int *out) { out[0] = 5 / 0; }"
    assert "define" in compile.compile_source(source, options, target).ir and len(runs) == 2


def _run(source, options):
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    out = np.arange(1000, 1064, dtype=np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    program = cl.Program(context, source).build(options)
    cl.Kernel(program, "k")(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    return out


def test_places_that_touch_nest_or_lie_outside():
    warning = "x.cl:9:1:{%s}: warning: division by zero is undefined [-Wdivision-by-zero]\n"
    ranges = ("1:4-1:5", "1:6-1:9", "1:7-1:8", "9:1-9:2", "1:8-1:99", "1:4-1:5")  # in bytes
    text = "\u00e9/0/(0)"
    places = zero_divisors("".join(warning % place for place in ranges), text)
    begin, end = "({ __auto_type __weft_divisor = ", "; __weft_divisor; })"
    assert read_from_variables(text, places) == f"\u00e9/{begin}0{end}/{begin}({begin}0{end}){end}"
