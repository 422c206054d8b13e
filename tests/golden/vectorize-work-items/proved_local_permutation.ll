; Local ids start at 0, so nothing has to be tested: neighbours change places in every block of eight lanes.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 24,1,1
;! launch: 24 / 24
;! arg a: arange(24, dtype=int32)
;! arg b: zeros(24, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %other = xor i64 %id, 3
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %id
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
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %1 = sext i32 %lane.0 to i64
  br label %entry.simd

entry.simd:
  %other = xor i64 %1, 3
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %other
  %2 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 -12
  %v = load <8 x i32>, ptr addrspace(1) %2, align 4
  %3 = shufflevector <8 x i32> %v, <8 x i32> poison, <8 x i32> <i32 3, i32 2, i32 1, i32 0, i32 7, i32 6, i32 5, i32 4>
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %1
  store <8 x i32> %3, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %4 = icmp ult i32 %lane.next, 24
  br i1 %4, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

simd.remainder:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
