"""Metadata nodes, loop properties and attributes are taken apart and put together."""

from weft import ir
from weft.ir.attributes import alignment, value_range, without, words_of_group
from weft.ir.metadata import (
    add_loop_properties,
    integer_node,
    loop_properties,
    make_distinct_loop_id,
    node_integers,
    node_operands,
    node_references,
    set_loop_properties,
)

LOOP = """
define void @f(i1 %c) {
entry:
  br label %loop

loop:
  br i1 %c, label %loop, label %end, !llvm.loop !0

end:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.parallel_accesses", !3}
!3 = distinct !{}
"""


def test_operands_of_nodes() -> None:
    assert node_operands('!{!"a, b", i32 3, !7}') == ['!"a, b"', "i32 3", "!7"]
    assert node_operands("distinct !{}") == []
    assert node_references('!{!"!4", !5, i64 6}') == ["!5"]


def test_integers() -> None:
    module = ir.Module()
    assert node_integers(module, integer_node(module, 3, -4, bits=64)) == (3, -4)
    assert list(module.metadata.values()) == ["!{i64 3, i64 -4}"]
    assert node_integers(module, module.add_metadata('!{!"no number", !7}')) == ()


def test_properties_of_loops() -> None:
    module = ir.parse(LOOP)
    _, latch, end = module.function("f").blocks
    known = ['!{!"llvm.loop.mustprogress"}', '!{!"llvm.loop.parallel_accesses", !3}']
    assert loop_properties(latch) == known
    assert loop_properties(end) == []
    make_distinct_loop_id(end)
    assert "llvm.loop" not in end.terminator.metadata
    make_distinct_loop_id(latch)
    assert latch.terminator.metadata["llvm.loop"] == "!4"
    assert module.metadata[4] == "distinct !{!4, !1, !2}"
    add_loop_properties(latch, "!3")
    assert module.metadata[5] == "distinct !{!5, !1, !2, !3}"
    set_loop_properties(latch.terminator, ("!1",))
    assert loop_properties(latch) == known[:1]


def test_attributes() -> None:
    words = ("noundef", "align 16", "range(i32 -2, 64)")
    assert alignment(words) == 16
    assert value_range(words) == (-2, 64)
    assert alignment(words[:1]) is None
    assert value_range(words[:1]) is None
    group = '{ convergent memory(argmem: read) "no-convergent"="a b" }'
    assert words_of_group(group) == ["convergent", "memory(argmem: read)", '"no-convergent"="a b"']
    assert without(group, "convergent") == '{ memory(argmem: read) "no-convergent"="a b" }'
    assert without(group, "nounwind") == group
    assert without("{ convergent }", "convergent") == ""
