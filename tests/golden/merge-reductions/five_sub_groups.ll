; Five sub-groups: no number of them that a register has lanes for divides five.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 80 --remarks merge-reductions
;! launch: 80 / 80
;! arg a: arange(80, dtype=int64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %sum = call i64 @_Z20sub_group_reduce_addl(i64 %x)
  store i64 %sum, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z20sub_group_reduce_addl(i64)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 26843545) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 80
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
  %gid.x = add nuw nsw i32 %2, %lane.0
  %3 = sext i32 %2 to i64
  %4 = sext i32 %lane.0 to i64
  %5 = add i64 %3, %4
  br label %entry.simd

entry.simd:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %5
  %x = load <16 x i64>, ptr addrspace(1) %p, align 8
  %6 = shufflevector <16 x i64> %x, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %7 = shufflevector <16 x i64> %x, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %8 = add <8 x i64> %6, %7
  %9 = shufflevector <8 x i64> %8, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %10 = shufflevector <8 x i64> %8, <8 x i64> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %11 = add <4 x i64> %9, %10
  %12 = shufflevector <4 x i64> %11, <4 x i64> poison, <2 x i32> <i32 0, i32 1>
  %13 = shufflevector <4 x i64> %11, <4 x i64> poison, <2 x i32> <i32 2, i32 3>
  %14 = add <2 x i64> %12, %13
  %15 = shufflevector <2 x i64> %14, <2 x i64> poison, <1 x i32> splat (i32 0)
  %16 = shufflevector <2 x i64> %14, <2 x i64> poison, <1 x i32> splat (i32 1)
  %17 = add <1 x i64> %15, %16
  %18 = extractelement <1 x i64> %17, i32 0
  %19 = insertelement <16 x i64> poison, i64 %18, i32 0
  %20 = shufflevector <16 x i64> %19, <16 x i64> poison, <16 x i32> zeroinitializer
  store <16 x i64> %20, ptr addrspace(1) %p, align 8
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 16
  %21 = icmp ult i32 %lane.next, 80
  br i1 %21, label %region.0.x.simd, label %simd.remainder, !llvm.loop !6

simd.remainder:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = distinct !{!4, !1, !2, !3}
!5 = !{!"llvm.loop.isvectorized", i32 1}
!6 = distinct !{!6, !5}
; missed: merge-reductions: @k: UnknownCount: sub-groups are reduced separately: their number is unknown or has no suitable divisor
