; The address that the loop stores to in each iteration is recomputed at the exit; the counter is not.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,rematerialize-at-loop-exit --local-size 4 --remarks rematerialize-at-loop-exit
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg out: zeros(8, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %low = shl i64 %g, 32
  %index = ashr exact i64 %low, 30
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %index
  store i32 %k, ptr addrspace(1) %q, align 4
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, %v
  br i1 %again, label %loop, label %exit

exit:
  %q.lcssa = phi ptr addrspace(1) [ %q, %loop ]
  %k.lcssa = phi i32 [ %k.next, %loop ]
  store i32 %k.lcssa, ptr addrspace(1) %q.lcssa, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %out = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 4
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %low = shl i64 %gid.x.1, 32
  %index = ashr exact i64 %low, 30
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %index
  store i32 %k, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, %v
  br i1 %again, label %loop, label %exit

exit:
  %k.lcssa = phi i32 [ %k.next, %loop ]
  %low.1 = shl i64 %gid.x.1, 32
  %index.1 = ashr exact i64 %low.1, 30
  %q.1 = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %index.1
  store i32 %k.lcssa, ptr addrspace(1) %q.1, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %4 = icmp ult i32 %x.next, 4
  br i1 %4, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: rematerialize-at-loop-exit: @k: Recomputed: a loop-invariant value is rematerialized at a loop exit, by 3 instructions
