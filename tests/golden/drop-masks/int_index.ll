; An index of type int is the id itself: what adds to it cannot wrap for ids of a group of four.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,drop-masks --local-size 4 --remarks drop-masks
;! launch: 4 / 4
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %up = shl i64 %id, 32
  %here = ashr exact i64 %up, 30
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %here
  %more = add i64 %up, 17179869184
  %there = ashr exact i64 %more, 30
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %there
  %less = add i64 %up, -4294967296
  %number = ashr exact i64 %less, 32
  %v = load i32, ptr addrspace(1) %q, align 4
  %t = trunc i64 %number to i32
  %r = add i32 %v, %t
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %up = shl nuw nsw i64 %lid.x, 32
  %here = shl nsw i64 %lid.x, 2
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %here
  %more = add nuw nsw i64 %up, 17179869184
  %0 = add nsw i64 %lid.x, 4
  %there = shl nsw i64 %0, 2
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %there
  %less = add nsw i64 %up, -4294967296
  %1 = add nsw i64 %lid.x, -1
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %t = trunc i64 %1 to i32
  %r = add i32 %v, %t
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %2 = icmp ult i32 %x.next, 4
  br i1 %2, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: drop-masks: @k: Extended: redundant sign extension removed
; passed: drop-masks: @k: Extended: redundant sign extension removed
; passed: drop-masks: @k: Extended: redundant sign extension removed
