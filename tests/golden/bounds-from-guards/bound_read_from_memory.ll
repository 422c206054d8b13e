; `if (x > 0 && x < *n)`: the bound is loaded only if a work-item satisfies the conditions before it.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 8 / 8
;! arg a: zeros(8, int32)
;! arg n: array([6], int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = trunc i64 %l to i32
  %c = icmp sgt i32 %i, 0
  br i1 %c, label %more, label %exit

more:
  %m = load i32, ptr addrspace(1) %n, align 4
  %d = icmp slt i32 %i, %m
  br i1 %d, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load ptr addrspace(1), ptr %0, align 8
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %m = load i32, ptr addrspace(1) %n, align 4, !llvm.access.group !0
  %1 = icmp slt i32 1, %m
  %2 = sub i32 %m, 1
  %3 = select i1 %1, i32 %2, i32 0
  %4 = icmp ult i32 %3, 7
  %5 = select i1 %4, i32 %3, i32 7
  %6 = add i32 1, %5
  %7 = icmp ult i32 1, %6
  br i1 %7, label %region.0.x.pre, label %region.0.end

region.0.x.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 1, %region.0.x.pre ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  br label %more

more:
  br label %then

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  store i32 1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %8 = icmp ult i32 %x.next, %6
  br i1 %8, label %region.0.x, label %region.0.end, !llvm.loop !7

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!7 = distinct !{!7, !1, !2, !3, !4, !6}
