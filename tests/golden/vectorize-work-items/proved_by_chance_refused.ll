; The places that work-items load from come from memory: nothing is known of them, and there is no variant.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 24,1,1 --remarks vectorize-work-items
;! launch: 24 / 24
;! arg a: arange(24, dtype=int32)
;! arg b: zeros(24, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %id
  %v = load i32, ptr addrspace(1) %p, align 4
  %place = zext i32 %v to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %place
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 89478485) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
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
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %lid.x
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %place = zext i32 %v to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %place
  store i32 %v, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %1 = icmp ult i32 %x.next, 24
  br i1 %1, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; missed: vectorize-work-items: @k: LeftToLlvm: it has no inner loops
