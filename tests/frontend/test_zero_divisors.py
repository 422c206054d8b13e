"""A division by a constant zero has an open quotient; what depends on it is one of what the source says."""

import numpy as np
import pyopencl as cl
import pytest

from weft.frontend.zero_divisors import divisors, read_from_variables

HEAD = """
#define NOTHING 0
#define QUOTIENT(a) ((a) / 0)
#define CHOICE(a, b) ((a) / (b) == 3 ? 1 : 2)
#define RATIO(a, b) ((a) / (b))
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
    "/* \u00e9 */ 5 / NOTHING == 1 ? 1 : 2": (1, 2),
    "5 % 0 == 5 % 0 ? (9 / 0 > 4 ? 1 : 2) : 3": (1, 2, 3),
    "(uchar)(5 / 0) < 256": (1,),
    "clamp(5 / 0, 3, 4)": (3, 4),
}


@pytest.mark.parametrize("options", ["", "-w", "-cl-opt-disable"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_what_depends_on_an_open_quotient(options, line_end):
    lines = [f"    out[{number}] = {case};" for number, case in enumerate(CASES)]
    lines.insert(2, '#line 70 "renamed.cl"')
    source = "\n".join([HEAD, "kernel void k(global int *out) {", *lines, "}"])
    _check(source.replace("\n", line_end), options, CASES.values())


def test_a_macro_that_also_makes_constants():
    table = "constant int table[RATIO(64, 32)] = {RATIO(5, 4), 2};\n"
    kernel = "kernel void k(global int *out) { out[0] = RATIO(5, 0) == 3 ? table[0] : table[1]; }"
    _check(HEAD + table + kernel, "", [(1, 2)])


def _check(source, options, allowed):
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    out = np.arange(1000, 1064, dtype=np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    program = cl.Program(context, source.encode().decode("latin-1")).build(options.split())
    cl.Kernel(program, "k")(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    wrong = [(number, out[number]) for number, values in enumerate(allowed) if out[number] not in values]
    assert not wrong


def test_the_innermost_macro_and_the_place_of_use():
    diagnostics = (
        "<source>:4:15:{4:15-4:19}: warning: division by zero is undefined [-Wdivision-by-zero]\n"
        "<source>:1:18:{1:19-1:20}: note: expanded from macro 'Q'\n"
        "other.h:9:1:{9:2-9:3}: warning: division by zero is undefined [-Wdivision-by-zero]\n"
    )
    assert divisors(diagnostics, "<source>") == ([(1, 19, 1, 20)], [(4, 15, 4, 19)])
    assert len(divisors(diagnostics, None)[1]) == 2


def test_ranges_that_touch_nest_or_lie_outside():
    text = read_from_variables(
        "a/0/(0)", [(1, 3, 1, 4), (1, 5, 1, 8), (1, 6, 1, 7), (9, 1, 9, 2), (1, 7, 1, 99)]
    )
    begin, end = "({ __auto_type weft_divisor = ", "; weft_divisor; })"
    assert text == f"a/{begin}0{end}/{begin}({begin}0{end}){end}"
