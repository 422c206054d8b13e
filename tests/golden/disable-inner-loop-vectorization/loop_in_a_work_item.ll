; The work-item loop stays LLVM's to vectorize, the loop inside it does not.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,disable-inner-loop-vectorization --local-size 4
;! launch: 4 / 4
;! arg a: arange(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit, !llvm.loop !0

exit:
  %r = phi i32 [ %k.next, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
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
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit, !llvm.loop !9

exit:
  %r = phi i32 [ %k.next, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !2
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %0 = icmp ult i32 %x.next, 4
  br i1 %0, label %region.0.x, label %region.0.end, !llvm.loop !7

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.mustprogress"}
!5 = !{!"weft.work_items"}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !3, !4, !5, !6}
!8 = !{!"llvm.loop.vectorize.enable", i1 false}
!9 = distinct !{!9, !1, !8}
