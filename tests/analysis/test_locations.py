"""Locations that may have a byte in common are never told apart; others are, where it matters."""

import pytest

from weft import ir
from weft.analysis.locations import Locations, location, objects
from weft.ir import Argument
from weft.ir.types import size_of

TEXT = """
%pair = type { i32, i32 }
@table = addrspace(2) constant [4 x i32] zeroinitializer
@tile = addrspace(3) global [4 x i32] undef
@other = addrspace(3) global [4 x i32] undef

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %i, i32 %n, i1 %c) {
  %mine = alloca [4 x i32], align 4
  %next = add i64 %i, 1
  %a.i = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %a.next = getelementptr i32, ptr addrspace(1) %a, i64 %next
  %a.back = getelementptr i32, ptr addrspace(1) %a.next, i64 -1
  %a.bytes = getelementptr i8, ptr addrspace(1) %a.i, i64 2
  %twice = shl i64 %i, 1
  %a.twice = getelementptr i16, ptr addrspace(1) %a, i64 %twice
  %n.next = add nsw i32 %n, 1
  %n.wraps = add i32 %n, 1
  %a.n = getelementptr i32, ptr addrspace(1) %a, i32 %n
  %a.n.next = getelementptr i32, ptr addrspace(1) %a, i32 %n.next
  %a.n.wraps = getelementptr i32, ptr addrspace(1) %a, i32 %n.wraps
  %x = getelementptr %pair, ptr addrspace(1) %a, i64 %i
  %y = getelementptr %pair, ptr addrspace(1) %a, i64 %i, i32 1
  %huge = getelementptr i32, ptr addrspace(1) %a.i, i64 4611686018427387904
  %b.i = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %either = select i1 %c, ptr addrspace(1) %a.i, ptr addrspace(1) %b.i
  %t.i = getelementptr i32, ptr addrspace(3) %t, i64 %i
  %tile.i = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %other.i = getelementptr i32, ptr addrspace(3) @other, i64 %i
  %mine.i = getelementptr i32, ptr %mine, i64 %i
  %any = addrspacecast ptr %mine.i to ptr addrspace(4)
  %found = load ptr addrspace(1), ptr addrspace(1) %a, align 8
  ret void
}
"""
# Pairs of addresses of four bytes, and when they may have bytes in common.
ALWAYS, IF_BUFFERS_OVERLAP, NEVER = "always", "if buffers overlap", "never"
PAIRS = {
    ("a.i", "a.i"): ALWAYS,
    ("a.i", "a.next"): NEVER,
    ("a.i", "a.back"): ALWAYS,
    ("a.i", "a.bytes"): ALWAYS,
    ("a.bytes", "a.next"): ALWAYS,
    ("a.i", "a.twice"): ALWAYS,
    ("a.n", "a.n.next"): NEVER,
    ("a.n", "a.n.wraps"): ALWAYS,
    ("a.i", "a.n"): ALWAYS,
    ("x", "y"): NEVER,
    ("x", "a.i"): ALWAYS,
    ("a.i", "huge"): ALWAYS,
    ("a.i", "b.i"): IF_BUFFERS_OVERLAP,
    ("either", "b.i"): ALWAYS,
    ("either", "t.i"): NEVER,
    ("found", "b.i"): ALWAYS,
    ("found", "t.i"): NEVER,
    ("t.i", "tile.i"): NEVER,
    ("tile.i", "other.i"): NEVER,
    ("tile.i", "tile.i"): ALWAYS,
    ("mine.i", "a.i"): NEVER,
    ("any", "mine.i"): ALWAYS,
    ("any", "a.i"): NEVER,
}


@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_alias_queries(one: str, other: str, disjoint: bool) -> None:
    function = ir.parse(TEXT).function("k")
    values = {i.name: i for i in function.instructions()}
    size = size_of(ir.types.IntType(32))
    places = [location(values[name], size) for name in (one, other)]
    buffers = {a: disjoint for a in function.arguments if isinstance(a, Argument) and a.name in ("a", "b")}
    expected = PAIRS[one, other]
    for first, second in (places, reversed(places)):
        aliases = Locations(buffers)
        may_alias = aliases.may_alias(first, second)
        assert may_alias == (expected == ALWAYS or (expected == IF_BUFFERS_OVERLAP and not disjoint))
        assert aliases.requires_noalias == (expected == IF_BUFFERS_OVERLAP and disjoint)


def test_any_number_of_bytes() -> None:
    """A function that takes a pointer may access all that it leads to."""
    values = {i.name: i for i in ir.parse(TEXT).function("k").instructions()}
    places = [location(values[name], None) for name in ("a.i", "a.next")]
    assert Locations({}).may_alias(*places)


def test_objects_of_a_long_chain() -> None:
    """The search ends somewhere, and does not recurse."""
    steps = "\n".join(f"  %p{k + 1} = getelementptr i8, ptr addrspace(1) %p{k}, i64 %i" for k in range(5000))
    text = f"define void @k(ptr addrspace(1) %p0, i64 %i) {{\n{steps}\n  ret void\n}}"
    last = ir.parse(text).functions[0].entry.instructions[-2]
    assert objects(last) is None
    (term,) = location(last, 4).distance.terms
    assert term[1] == 5000
