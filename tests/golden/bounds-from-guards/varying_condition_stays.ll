; `if (a[x] > 2 && n > 1 && x < 6)`: a condition on a loaded value stays a branch, and so do the conditions after it.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 8 / 8
;! arg a: arange(8, dtype=int32)
;! arg n: int32(3)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p, align 4
  %one = icmp sgt i32 %v, 2
  %two = icmp sgt i32 %n, 1
  %both = select i1 %one, i1 %two, i1 false
  %three = icmp ult i64 %l, 6
  %all = select i1 %both, i1 %three, i1 false
  br i1 %all, label %then, label %exit

then:
  store i32 -1, ptr addrspace(1) %p, align 4
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
  %n = load i32, ptr %0, align 4
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %1 = icmp sgt i32 %n, 1
  br i1 %1, label %region.0.x.pre, label %region.0.end

region.0.x.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.x.pre ], [ %x.next, %region.0.x.latch ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %one = icmp sgt i32 %v, 2
  %three = icmp ult i64 %lid.x, 6
  %2 = select i1 %one, i1 %three, i1 false
  br i1 %2, label %then, label %exit

then:
  store i32 -1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %3 = icmp ult i32 %x.next, 8
  br i1 %3, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
