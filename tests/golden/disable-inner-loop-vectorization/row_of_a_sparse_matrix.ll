; A work-item loads where its row begins and ends; LLVM is not to unroll the loop with a remainder.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,disable-inner-loop-vectorization --local-size 4
;! launch: 4 / 4
;! arg rows: array([0, 2, 3, 3, 7], dtype=int32)
;! arg a: arange(8, dtype=int32)
;! arg sums: zeros(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %rows, ptr addrspace(1) %a, ptr addrspace(1) %sums) {
entry:
  %i = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %rows, i64 %i
  %first = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  br label %header

header:
  %k = phi i32 [ %first, %entry ], [ %k.next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %body ]
  %end = load i32, ptr addrspace(1) %q, align 4
  %more = icmp slt i32 %k, %end
  br i1 %more, label %body, label %exit

body:
  %at = sext i32 %k to i64
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %r, align 4
  %sum.next = add i32 %sum, %v
  %k.next = add nsw i32 %k, 1
  br label %header

exit:
  %result = phi i32 [ %sum, %header ]
  %to = getelementptr i32, ptr addrspace(1) %sums, i64 %i
  store i32 %result, ptr addrspace(1) %to, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %rows = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %sums = load ptr addrspace(1), ptr %1, align 8
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
  %p = getelementptr i32, ptr addrspace(1) %rows, i64 %lid.x
  %first = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  br label %header

header:
  %k = phi i32 [ %first, %entry.1 ], [ %k.next, %body ]
  %sum = phi i32 [ 0, %entry.1 ], [ %sum.next, %body ]
  %end = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %more = icmp slt i32 %k, %end
  br i1 %more, label %body, label %exit

body:
  %at = sext i32 %k to i64
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %r, align 4, !llvm.access.group !0
  %sum.next = add i32 %sum, %v
  %k.next = add nsw i32 %k, 1
  br label %header, !llvm.loop !8

exit:
  %result = phi i32 [ %sum, %header ]
  %to = getelementptr i32, ptr addrspace(1) %sums, i64 %lid.x
  store i32 %result, ptr addrspace(1) %to, align 4, !llvm.access.group !0
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
!6 = !{!"llvm.loop.vectorize.enable", i1 false}
!7 = !{!"llvm.loop.unroll.runtime.disable"}
!8 = distinct !{!8, !7, !6}
