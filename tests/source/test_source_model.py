"""The source model: exact ranges, and errors with places."""

import pytest

from weft.frontend.options import parse_options
from weft.source.model import Node, Source, parse
from weft.source.refusal import Refused, SourceError

TEXT = """
#define SQUARE(x) ((x) * (x))
#define TWICE 1 + 1
__kernel void k(__global float *a, int n) {
    int i = get_global_id(0); // the place
    float4 zero = (float4)(0.0f);
    for (; i < n;) { a[i] = SQUARE(n + 1) * zero.x; i += n * TWICE; }
}
"""


def model(text: str) -> Source:
    return parse(text, parse_options(""), "k.cl")


def nodes(source: Source, kind: str) -> list[Node]:
    return [n for n in source.functions["k"].body.walk() if n.kind == kind]


def test_ranges_are_the_text() -> None:
    source = model(TEXT)
    declared = [source.of(n) for n in nodes(source, "VAR_DECL")]
    assert declared == ["int i = get_global_id(0)", "float4 zero = (float4)(0.0f)"]
    assert [source.of(n) for n in nodes(source, "ARRAY_SUBSCRIPT_EXPR")] == ["a[i]"]


def test_parts_of_a_loop_that_are_absent_are_known() -> None:
    source = model(TEXT)
    (loop,) = nodes(source, "FOR_STMT")
    first, condition, step, body = loop.parts
    assert first is None
    assert step is None
    assert condition is not None and source.of(condition) == "i < n"
    assert body is not None and source.of(body).startswith("{ a[i]")


def test_arguments_of_macros_have_their_own_range() -> None:
    source = model(TEXT)
    inside = [n for n in nodes(source, "BINARY_OPERATOR") if source.of(n) == "n + 1"]
    assert inside and not any(n.macro for n in inside)
    assert next(n.macro for n in nodes(source, "PAREN_EXPR")) == "SQUARE"


def test_macros_that_are_more_than_an_operand_are_marked() -> None:
    source = model(TEXT)
    assert {n.macro for n in nodes(source, "INTEGER_LITERAL") if n.is_fragment} == {"TWICE"}


def test_errors_have_line_and_column() -> None:
    with pytest.raises(SourceError, match=r"k\.cl:1:23: error: use of undeclared identifier 'x'"):
        model("__kernel void k(void){x=1;}")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(Refused, match="nested deeper"):
        model("__kernel void k(__global int *a){ *a = " + "(" * 200 + "1" + ")" * 200 + "; }")


def test_characters_beyond_ascii_may_stand_in_comments() -> None:
    source = model("// über\n__kernel void k(__global int *a) { *a = 1; }")
    assert source.of(nodes(source, "BINARY_OPERATOR")[0]) == "*a = 1"
