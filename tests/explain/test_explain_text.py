"""Explanations as text: what a person reads in a terminal."""

import pytest
from explained_kernels import CONDITIONAL, DCT, SHAPES

from weft.explain.explain import explain
from weft.explain.text import TextWriter


def text_of(source: str, width: int = 100, colour: bool = False) -> str:
    return TextWriter(width, colour).report(explain(source, "k.cl"))


def section(text: str, title: str) -> list[str]:
    lines = text.split("\n")
    start = lines.index(title) + 1
    return lines[start : lines.index("", start)] if "" in lines[start:] else lines[start:]


def test_dct_reads_as_the_paper_tells_it():
    text = text_of(DCT)
    assert text.startswith("k.cl: kernel DCT, local size 8x8x1 (assumed; choose with --local)\n")
    assert section(text, "Barriers") == [
        "  b0  entry      implicit  every kernel starts with one",
        "  b1  line 20:5  implicit  the inner loop runs in lock step over all work-items",
        "  b2  line 27:5  written",
        "  b3  line 30:5  implicit  the inner loop runs in lock step over all work-items",
        "  b4  exit       implicit  every kernel ends with one",
    ]
    assert [line.split()[:5] for line in section(text, "Loops")] == [
        ["lines", "20-24", "depth", "1", "interchanged"],
        ["lines", "30-34", "depth", "1", "interchanged"],
    ]
    assert "\n  r1  b1 → b1  lines 3-5, 20-23     23 instructions" in text


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("source", [DCT, CONDITIONAL, SHAPES], ids=["dct", "conditional", "shapes"])
def test_lines_fit_the_terminal(source, width):
    lines = text_of(source, width).split("\n")
    tables = [line for line in lines if line.startswith("  ")]
    assert tables and max(map(len, tables)) <= width


def test_colours_change_nothing_but_colours():
    plain, coloured = text_of(DCT), text_of(DCT, colour=True)
    assert "\x1b[" not in plain and "\x1b[32m" in coloured
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_log_of_a_program_that_does_not_build_is_shown_whole():
    text = text_of("kernel void k(global int *a) {\n    a[0] = nonsense;\n}\n")
    assert "k.cl: not built" in text and "use of undeclared identifier 'nonsense'" in text


def test_warnings_stand_in_front_of_the_kernels():
    text = text_of("kernel void k(global int *a) {\n    int unused;\n    a[0] = 1 / 0;\n}\n")
    assert text.index("Build log") < text.index("division by zero") < text.index("kernel k")


def test_empty_program_says_so():
    assert text_of("int helper(void) { return 1; }\n") == "k.cl has no kernels\n"


def test_locations_that_loops_store_to():
    """A sum that stays in a register, and one that may not."""
    text = text_of("""kernel void k(global float *s, global const float *a, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        s[i] += a[j];
    for (int j = 0; j < n; j++)
        s[i] += s[j];
}""")
    assert [line.split()[:2] for line in section(text, "Locations that loops store to")] == [
        ["4:14", "register"],
        ["6:14", "memory"],
    ]
