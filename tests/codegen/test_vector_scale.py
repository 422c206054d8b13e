"""LLVM is told the length of scalable registers, and uses them for vectors of a fixed length."""

import pytest

from weft.codegen.optimise import emit_assembly
from weft.codegen.vector_scale import with_vector_scale
from weft.target import aarch64

NEON, SVE = aarch64.describe("neoverse-n1"), aarch64.describe("neoverse-v1")
UNDER_MASK = """
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
define void @positive(ptr %a, ptr %b) {
  %x = load <8 x float>, ptr %a, align 32
  %m = fcmp ogt <8 x float> %x, zeroinitializer
  call void @llvm.masked.store.v8f32.p0(<8 x float> %x, ptr %b, i32 4, <8 x i1> %m)
  ret void
}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("define void @f() {", "define void @f() vscale_range(2,2) {"),
        ("define i32 @f(i32 %x) #3 {", "define i32 @f(i32 %x) vscale_range(2,2) #3 {"),
        (
            "define void @f(ptr align 8 dereferenceable(8) %p, i32 %n) local_unnamed_addr #0 !dbg !7 {",
            "define void @f(ptr align 8 dereferenceable(8) %p, i32 %n) local_unnamed_addr vscale_range(2,2) "
            "#0 !dbg !7 {",
        ),
        ('define void @"a)b"(ptr "k)" %p) {', 'define void @"a)b"(ptr "k)" %p) vscale_range(2,2) {'),
        ("declare void @g(ptr)", "declare void @g(ptr)"),
    ],
)
def test_every_definition_gets_the_attribute(before: str, after: str) -> None:
    assert with_vector_scale(f"; one\n{before}\n", SVE) == f"; one\n{after}\n"
    assert with_vector_scale(before, NEON) == before


def test_a_store_under_a_mask_is_one_instruction() -> None:
    text = emit_assembly(UNDER_MASK, SVE, exported=["positive"])
    assert text.count("st1w") == 1 and "z0.s" in text
    assert "st1w" not in emit_assembly(UNDER_MASK, NEON, exported=["positive"])
