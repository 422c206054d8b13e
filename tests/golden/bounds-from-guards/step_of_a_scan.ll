; `if (get_local_id(0) >= s)`: the loop does not start at 0.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 8 / 8
;! arg a: zeros(8, int32)
;! arg s: uint64(3)
define spir_kernel void @k(ptr addrspace(1) %a, i64 %s) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %c = icmp ult i64 %l, %s
  br i1 %c, label %exit, label %then

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
  %s = load i64, ptr %0, align 8
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %1 = icmp ult i64 0, %s
  %2 = select i1 %1, i64 %s, i64 0
  %3 = icmp ult i64 %2, 8
  %4 = select i1 %3, i64 %2, i64 8
  %5 = trunc i64 %4 to i32
  %6 = icmp ult i32 %5, 8
  br i1 %6, label %region.0.x.pre, label %region.0.end

region.0.x.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ %5, %region.0.x.pre ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  br label %then

exit:
  br label %region.0.x.latch

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  store i32 1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %7 = icmp ult i32 %x.next, 8
  br i1 %7, label %region.0.x, label %region.0.end, !llvm.loop !7

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
