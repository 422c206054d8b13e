"""Locations that loops access in each iteration are promoted wherever that is legal, and nowhere else."""

import pytest

from weft import ir
from weft.ir.verifier import verify
from weft.remarks import Remarks
from weft.transform.canonical.promote_to_registers import Promotion, promote_to_registers
from weft.transform.canonical.promotion_plan import MOST, NotPromoted

# A loop of two blocks over k, with %p an address that does not change.
KERNEL = """
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %i, i64 %n) {{
entry:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  {before}
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %k
  %old = load i32, ptr addrspace(1) %p, align 4
  {body}
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}}

declare void @_Z7barrierj(i32)
declare void @_Z9mem_fencej(i32)
declare float @_Z3sinf(float) memory(none)
declare void @_Z6printf(ptr addrspace(2), ...)
declare i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1), i32)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @weft.function.f(i32)
"""
# What stands in the loop, and what is told of it.
BODIES = {
    "": Promotion.PROMOTED,
    "%s = call float @_Z3sinf(float 1.0)": Promotion.PROMOTED,
    "store i32 1, ptr addrspace(1) %q, align 4": Promotion.PROMOTED,
    "store i32 1, ptr addrspace(3) %t, align 4": Promotion.PROMOTED,
    "store i64 1, ptr addrspace(1) %a, align 8": NotPromoted.MAY_ALIAS,
    "%v = load i8, ptr addrspace(1) %p, align 1": NotPromoted.TYPES,
    "%v = load volatile i32, ptr addrspace(1) %q, align 4": NotPromoted.SYNCHRONIZES,
    "store volatile i32 1, ptr addrspace(3) %t, align 4": NotPromoted.SYNCHRONIZES,
    "%v = load atomic i32, ptr addrspace(1) %q monotonic, align 4": NotPromoted.SYNCHRONIZES,
    "%v = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic": NotPromoted.SYNCHRONIZES,
    "fence acquire": NotPromoted.SYNCHRONIZES,
    "call void @_Z7barrierj(i32 1)": NotPromoted.SYNCHRONIZES,
    "call void @_Z9mem_fencej(i32 1)": NotPromoted.SYNCHRONIZES,
    "call void @weft.function.f(i32 1)": NotPromoted.SYNCHRONIZES,
    "%v = call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) %q, i32 1)": NotPromoted.SYNCHRONIZES,
    "call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %q, ptr addrspace(1) %b, i64 4, i1 0)": (
        Promotion.PROMOTED
    ),
    "call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %q, ptr addrspace(1) %b, i64 4, i1 1)": (
        NotPromoted.SYNCHRONIZES
    ),
    "call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %q, ptr addrspace(1) %a, i64 4, i1 0)": (
        NotPromoted.MAY_ALIAS
    ),
}


def promoted(text: str, disjoint: bool = True) -> tuple[ir.Function, Remarks]:
    """A kernel after the pass, which must be well-formed, and the remarks."""
    module = ir.parse(text)
    function = module.function("k")
    remarks = Remarks("k")
    buffers = {a: disjoint for a in function.arguments if a.name in ("a", "b")}
    promote_to_registers(function, buffers, remarks)
    verify(module)
    return function, remarks


@pytest.mark.parametrize("body", BODIES)
def test_what_else_the_loop_does(body: str) -> None:
    function, remarks = promoted(KERNEL.format(before="", body=body))
    assert {r.message for r in remarks} == {BODIES[body]}
    inside = [i for i in function.blocks[1].instructions if i.opcode == "store" and i.operands[1].name == "p"]
    assert bool(inside) == (BODIES[body] is not Promotion.PROMOTED)


def test_more_locations_than_registers() -> None:
    sums = ""
    for k in range(MOST + 2):
        sums += f"""%p{k} = getelementptr i32, ptr addrspace(1) %b, i64 {k}
  %v{k} = load i32, ptr addrspace(1) %p{k}, align 4
  %new{k} = add i32 %v{k}, 1
  store i32 %new{k}, ptr addrspace(1) %p{k}, align 4
  """
    _, remarks = promoted(KERNEL.format(before="", body=sums))
    assert len(remarks.named(NotPromoted.TOO_MANY)) == 3
    assert len(remarks.named(Promotion.PROMOTED)) == MOST


def test_first_value_crosses_nothing_that_may_write_it() -> None:
    first = "store i32 7, ptr addrspace(1) %p, align 4\n  "
    for between, forwarded in {
        "": True,
        "store i32 8, ptr addrspace(1) %b, align 4": True,
        "store i32 8, ptr addrspace(1) %a, align 4": False,
        "call void @_Z7barrierj(i32 1)": False,
        "call void @weft.function.f(i32 1)": False,
    }.items():
        function, _ = promoted(KERNEL.format(before=first + between, body=""))
        assert any(i.opcode == "load" for i in function.entry.instructions) != forwarded
        kept = any(i.opcode == "store" and i.operands[1].name == "p" for i in function.entry.instructions)
        assert kept != forwarded


def test_store_before_the_loop_that_is_read_stays() -> None:
    first = "store i32 7, ptr addrspace(1) %p, align 4\n  %r = load i64, ptr addrspace(1) %a, align 8"
    function, _ = promoted(KERNEL.format(before=first, body=""))
    assert function.entry.instructions[1].opcode == "store"
