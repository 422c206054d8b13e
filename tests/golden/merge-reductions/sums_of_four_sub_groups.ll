; The sums of four sub-groups are computed together; each sub-group stores its own.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 64 --remarks merge-reductions
;! launch: 128 / 64
;! arg a: arange(128, dtype=int32)
;! arg b: zeros(8, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %sum = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  %s = call i32 @_Z16get_sub_group_idv()
  %first = call i64 @_Z12get_group_idj(i32 0)
  %g = trunc i64 %first to i32
  %twice = shl i32 %g, 2
  %at = add i32 %twice, %s
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %at
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)

declare i32 @_Z16get_sub_group_idv()

declare i64 @_Z12get_group_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 33554432) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 64
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
  br label %region.0.x.simd.1

region.0.x.simd.1:
  %4 = sext i32 0 to i64
  %gid.x = add nuw nsw i32 %3, 0
  %5 = sext i32 %3 to i64
  %6 = add i64 %5, %4
  br label %entry.simd

entry.simd:
  %x.id = trunc i64 %4 to i32
  %lane = and i32 %x.id, 15
  %sub_group = lshr i32 %x.id, 4
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %6
  %x = load <16 x i32>, ptr addrspace(1) %p, align 4
  br label %region.0.x.simd.sub_group

entry.simd.1:
  %g = trunc i64 %group.x to i32
  %twice = shl i32 %g, 2
  %at = add i32 %twice, %sub_group
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %at
  store i32 %39, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %entry.simd.sub_group.3

sub_groups.latch:
  br label %simd.remainder

simd.remainder:
  br label %region.0.end

region.0.x.simd.sub_group:
  %7 = sext i32 16 to i64
  %gid.x.1 = add nuw nsw i32 %3, 16
  %8 = sext i32 %3 to i64
  %9 = add i64 %8, %7
  br label %entry.simd.sub_group

entry.simd.sub_group:
  %x.id.1 = trunc i64 %7 to i32
  %lane.1 = and i32 %x.id.1, 15
  %sub_group.1 = lshr i32 %x.id.1, 4
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %9
  %x.1 = load <16 x i32>, ptr addrspace(1) %p.1, align 4
  br label %region.0.x.simd.sub_group.1

region.0.x.simd.sub_group.1:
  %10 = sext i32 32 to i64
  %gid.x.2 = add nuw nsw i32 %3, 32
  %11 = sext i32 %3 to i64
  %12 = add i64 %11, %10
  br label %entry.simd.sub_group.1

entry.simd.sub_group.1:
  %x.id.2 = trunc i64 %10 to i32
  %lane.2 = and i32 %x.id.2, 15
  %sub_group.2 = lshr i32 %x.id.2, 4
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %12
  %x.2 = load <16 x i32>, ptr addrspace(1) %p.2, align 4
  br label %region.0.x.simd.sub_group.2

region.0.x.simd.sub_group.2:
  %13 = sext i32 48 to i64
  %gid.x.3 = add nuw nsw i32 %3, 48
  %14 = sext i32 %3 to i64
  %15 = add i64 %14, %13
  br label %entry.simd.sub_group.2

entry.simd.sub_group.2:
  %x.id.3 = trunc i64 %13 to i32
  %lane.3 = and i32 %x.id.3, 15
  %sub_group.3 = lshr i32 %x.id.3, 4
  %p.3 = getelementptr i32, ptr addrspace(1) %a, i64 %15
  %x.3 = load <16 x i32>, ptr addrspace(1) %p.3, align 4
  br label %sub_groups

sub_groups:
  %16 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %17 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %18 = add <8 x i32> %16, %17
  %19 = shufflevector <16 x i32> %x.1, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %20 = shufflevector <16 x i32> %x.1, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %21 = add <8 x i32> %19, %20
  %22 = shufflevector <16 x i32> %x.2, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %23 = shufflevector <16 x i32> %x.2, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %24 = add <8 x i32> %22, %23
  %25 = shufflevector <16 x i32> %x.3, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %26 = shufflevector <16 x i32> %x.3, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %27 = add <8 x i32> %25, %26
  %28 = shufflevector <8 x i32> %18, <8 x i32> %24, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
  %29 = shufflevector <8 x i32> %18, <8 x i32> %24, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %30 = add <8 x i32> %28, %29
  %31 = shufflevector <8 x i32> %21, <8 x i32> %27, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
  %32 = shufflevector <8 x i32> %21, <8 x i32> %27, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11>
  %33 = add <8 x i32> %31, %32
  %34 = shufflevector <8 x i32> %30, <8 x i32> %33, <8 x i32> <i32 0, i32 1, i32 10, i32 11, i32 4, i32 5, i32 14, i32 15>
  %35 = shufflevector <8 x i32> %30, <8 x i32> %33, <8 x i32> <i32 2, i32 3, i32 8, i32 9, i32 6, i32 7, i32 12, i32 13>
  %36 = add <8 x i32> %34, %35
  %37 = shufflevector <8 x i32> %36, <8 x i32> poison, <8 x i32> <i32 1, i32 poison, i32 3, i32 poison, i32 5, i32 poison, i32 7, i32 poison>
  %38 = add <8 x i32> %36, %37
  %39 = extractelement <8 x i32> %38, i32 0
  %40 = extractelement <8 x i32> %38, i32 2
  %41 = extractelement <8 x i32> %38, i32 4
  %42 = extractelement <8 x i32> %38, i32 6
  br label %entry.simd.1

entry.simd.sub_group.3:
  %g.1 = trunc i64 %group.x to i32
  %twice.1 = shl i32 %g.1, 2
  %at.1 = add i32 %twice.1, %sub_group.1
  %q.1 = getelementptr i32, ptr addrspace(1) %b, i32 %at.1
  store i32 %40, ptr addrspace(1) %q.1, align 4
  br label %region.0.x.latch.simd.sub_group

region.0.x.latch.simd.sub_group:
  br label %entry.simd.sub_group.4

entry.simd.sub_group.4:
  %g.2 = trunc i64 %group.x to i32
  %twice.2 = shl i32 %g.2, 2
  %at.2 = add i32 %twice.2, %sub_group.2
  %q.2 = getelementptr i32, ptr addrspace(1) %b, i32 %at.2
  store i32 %41, ptr addrspace(1) %q.2, align 4
  br label %region.0.x.latch.simd.sub_group.1

region.0.x.latch.simd.sub_group.1:
  br label %entry.simd.sub_group.5

entry.simd.sub_group.5:
  %g.3 = trunc i64 %group.x to i32
  %twice.3 = shl i32 %g.3, 2
  %at.3 = add i32 %twice.3, %sub_group.3
  %q.3 = getelementptr i32, ptr addrspace(1) %b, i32 %at.3
  store i32 %42, ptr addrspace(1) %q.3, align 4
  br label %region.0.x.latch.simd.sub_group.2

region.0.x.latch.simd.sub_group.2:
  br label %sub_groups.1

sub_groups.1:
  br label %sub_groups.latch
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
; passed: merge-reductions: @k: Together: 4 sub-groups at a time are reduced together
