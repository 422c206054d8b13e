"""Modules that several tests compile."""

# A work-item loop as the work-group passes emit it: y[i] = a*x[i] + y[i], accesses marked parallel. x and y
# may overlap for all LLVM knows; only the metadata lets it vectorize without a run-time check. The target
# attributes are absurd on purpose: those of the host must win.
WORK_ITEM_LOOP = """
define void @saxpy(ptr %x, ptr %y, float %a, i64 %base, i32 %n) #0 {
entry:
  %some = icmp ne i32 %n, 0
  br i1 %some, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %id = add i64 %base, %wide
  %px = getelementptr float, ptr %x, i64 %id
  %py = getelementptr float, ptr %y, i64 %id
  %vx = load float, ptr %px, !llvm.access.group !0
  %vy = load float, ptr %py, !llvm.access.group !0
  %product = fmul float %a, %vx
  %sum = fadd float %product, %vy
  store float %sum, ptr %py, !llvm.access.group !0
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !1
exit:
  ret void
}
attributes #0 = { nounwind "target-cpu"="i486" "target-features"="-sse2" "tune-cpu"="i486" }
!0 = distinct !{}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.parallel_accesses", !0}
"""

ADD_ONE = """
define i32 @add_one(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}
"""

CALLER = """
declare i32 @add_one(i32)
define i32 @add_two(i32 %x) {
  %a = call i32 @add_one(i32 %x)
  %b = call i32 @add_one(i32 %a)
  ret i32 %b
}
"""


def calls(symbol: str) -> str:
    """A module whose function `f` calls an undefined function."""
    return f"declare void @{symbol}()\ndefine void @f() {{\n  call void @{symbol}()\n  ret void\n}}\n"
