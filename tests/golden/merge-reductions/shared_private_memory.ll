; Sub-groups use the same private array before and after the reduction, so they are reduced separately.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane,vectorize-work-items,merge-reductions --local-size 64 --remarks merge-reductions
;! launch: 128 / 64
;! arg a: arange(128, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %v = alloca [4 x i32], align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  store i32 %x, ptr %v, align 4
  %w = getelementptr i32, ptr %v, i64 2
  store i32 1, ptr %w, align 4
  %sum = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  %low = and i32 %sum, 2
  %u = getelementptr i32, ptr %v, i32 %low
  %y = load i32, ptr %u, align 4
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 33554432) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %v = alloca [64 x i32], align 64
  %0 = mul i64 %group.x, 64
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
  %lane = add i32 0, 0
  %3 = getelementptr [4 x i8], ptr %v, i32 %lane
  %gid.x = add nuw nsw i32 %2, %lane.0
  %4 = sext i32 %2 to i64
  %5 = sext i32 %lane.0 to i64
  %6 = add i64 %4, %5
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %6
  %x = load <16 x i32>, ptr addrspace(1) %p, align 4
  store <16 x i32> %x, ptr %3, align 4
  %w = getelementptr [64 x i8], ptr %3, i64 2
  store <16 x i32> splat (i32 1), ptr %w, align 4
  %7 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %8 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %9 = add <8 x i32> %7, %8
  %10 = shufflevector <8 x i32> %9, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %11 = shufflevector <8 x i32> %9, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %12 = add <4 x i32> %10, %11
  %13 = shufflevector <4 x i32> %12, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %14 = shufflevector <4 x i32> %12, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %15 = add <2 x i32> %13, %14
  %16 = shufflevector <2 x i32> %15, <2 x i32> poison, <1 x i32> splat (i32 0)
  %17 = shufflevector <2 x i32> %15, <2 x i32> poison, <1 x i32> splat (i32 1)
  %18 = add <1 x i32> %16, %17
  %19 = extractelement <1 x i32> %18, i32 0
  %low = and i32 %19, 2
  %u = getelementptr [64 x i8], ptr %3, i32 %low
  %y = load <16 x i32>, ptr %u, align 4
  store <16 x i32> %y, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 16
  %20 = icmp ult i32 %lane.next, 64
  br i1 %20, label %region.0.x.simd, label %simd.remainder, !llvm.loop !9

simd.remainder:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{}
!7 = !{}
!8 = !{!"llvm.loop.isvectorized", i32 1}
!9 = distinct !{!9, !8}
; missed: merge-reductions: @k: PrivateMemory: sub-groups are reduced separately: they share private memory
