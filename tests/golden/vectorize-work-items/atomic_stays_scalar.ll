; An atomic operation runs lane by lane, which costs more than the lanes gain: the loop is left as it is.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --remarks vectorize-work-items
;! launch: 8 / 8
;! arg a: zeros(1, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
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
  br label %entry.1

entry.1:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic, align 4, !llvm.access.group !0
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit

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
; missed: vectorize-work-items: @k: CostsMore: 8 lanes are not profitable
