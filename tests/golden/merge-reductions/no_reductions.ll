; Work-items of a sub-group exchange values, but reduce nothing.
;! shows: leaves alone
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 32 --remarks merge-reductions
;! launch: 64 / 32
;! arg a: arange(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %other = call i32 @_Z21sub_group_shuffle_xorij(i32 %x, i32 5)
  store i32 %other, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z21sub_group_shuffle_xorij(i32, i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 67108864) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 32
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
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
  %3 = sext i32 %lane.0 to i64
  %gid.x = add nuw nsw i32 %2, %lane.0
  %4 = sext i32 %2 to i64
  %5 = add i64 %4, %3
  br label %entry.simd

entry.simd:
  %x.id = trunc i64 %3 to i32
  %lane = and i32 %x.id, 15
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %5
  %x = load <16 x i32>, ptr addrspace(1) %p, align 4
  %6 = insertelement <16 x i32> poison, i32 %lane, i32 0
  %7 = shufflevector <16 x i32> %6, <16 x i32> poison, <16 x i32> zeroinitializer
  %8 = add <16 x i32> %7, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %9 = xor <16 x i32> %8, splat (i32 5)
  %10 = and <16 x i32> %9, splat (i32 15)
  %11 = shufflevector <16 x i32> %x, <16 x i32> poison, <16 x i32> <i32 5, i32 4, i32 7, i32 6, i32 1, i32 0, i32 3, i32 2, i32 13, i32 12, i32 15, i32 14, i32 9, i32 8, i32 11, i32 10>
  store <16 x i32> %11, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 16
  %12 = icmp ult i32 %lane.next, 32
  br i1 %12, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

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
