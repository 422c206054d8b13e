; Two minima of one sub-group, which do not need each other, are computed together, NaNs as they come.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 16 --remarks merge-reductions
;! launch: 32 / 16
;! arg a: where(arange(32) == 5, nan, arange(32) % 7 - 3).astype(float32)
;! arg b: zeros(32, float32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %least = call float @_Z20sub_group_reduce_minf(float %x)
  %y = fmul float %x, %x
  %square = call float @_Z20sub_group_reduce_minf(float %y)
  %d = fsub float %square, %least
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  store float %d, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z20sub_group_reduce_minf(float)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 134217728) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 16
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
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ]
  %gid.x = add nuw nsw i32 %3, %lane.0
  %4 = sext i32 %3 to i64
  %5 = sext i32 %lane.0 to i64
  %6 = add i64 %4, %5
  br label %entry.simd

entry.simd:
  %p = getelementptr float, ptr addrspace(1) %a, i64 %6
  %x = load <16 x float>, ptr addrspace(1) %p, align 4
  %y = fmul <16 x float> %x, %x
  %7 = shufflevector <16 x float> %x, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %8 = shufflevector <16 x float> %x, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %9 = fcmp olt <8 x float> %8, %7
  %10 = select <8 x i1> %9, <8 x float> %8, <8 x float> %7
  %11 = shufflevector <16 x float> %y, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %12 = shufflevector <16 x float> %y, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %13 = fcmp olt <8 x float> %12, %11
  %14 = select <8 x i1> %13, <8 x float> %12, <8 x float> %11
  %15 = shufflevector <8 x float> %10, <8 x float> %14, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %16 = shufflevector <8 x float> %10, <8 x float> %14, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %17 = fcmp olt <8 x float> %16, %15
  %18 = select <8 x i1> %17, <8 x float> %16, <8 x float> %15
  %19 = shufflevector <8 x float> %18, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 poison, i32 poison, i32 6, i32 7, i32 poison, i32 poison>
  %20 = fcmp olt <8 x float> %19, %18
  %21 = select <8 x i1> %20, <8 x float> %19, <8 x float> %18
  %22 = shufflevector <8 x float> %21, <8 x float> poison, <8 x i32> <i32 1, i32 poison, i32 3, i32 poison, i32 5, i32 poison, i32 7, i32 poison>
  %23 = fcmp olt <8 x float> %22, %21
  %24 = select <8 x i1> %23, <8 x float> %22, <8 x float> %21
  %25 = extractelement <8 x float> %24, i32 0
  %26 = extractelement <8 x float> %24, i32 4
  %d = fsub float %26, %25
  %q = getelementptr float, ptr addrspace(1) %b, i64 %6
  %27 = insertelement <16 x float> poison, float %d, i32 0
  %28 = shufflevector <16 x float> %27, <16 x float> poison, <16 x i32> zeroinitializer
  store <16 x float> %28, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
