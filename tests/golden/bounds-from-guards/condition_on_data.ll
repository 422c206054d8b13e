; `if (a[x] > 2)`: the work-items for which it holds are no range.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1 --remarks bounds-from-guards
;! launch: 8 / 8
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p, align 4
  %c = icmp sgt i32 %v, 2
  br i1 %c, label %then, label %exit

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
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %c = icmp sgt i32 %v, 2
  br i1 %c, label %then, label %exit

then:
  store i32 -1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %0 = icmp ult i32 %x.next, 8
  br i1 %0, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; missed: bounds-from-guards: @k: Kept: v > 2 stays a branch: it is not known to hold for a range of work-items
