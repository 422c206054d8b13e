; What two sub-groups have at their reductions needs more registers than there are.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 32 --remarks merge-reductions
;! launch: 64 / 32
;! arg a: arange(64, dtype=int64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %y = mul i64 %x, %x
  %sum = call i64 @_Z20sub_group_reduce_addl(i64 %y)
  %z = mul i64 %y, %x
  %d = sub i64 %z, %sum
  store i64 %d, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z20sub_group_reduce_addl(i64)
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
  br label %region.0.x.simd.1

region.0.x.simd.1:
  %gid.x = add nuw nsw i32 %2, 0
  %3 = sext i32 %2 to i64
  %4 = sext i32 0 to i64
  %5 = add i64 %3, %4
  br label %entry.simd

entry.simd:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %5
  %x = load <16 x i64>, ptr addrspace(1) %p, align 8
  %y = mul <16 x i64> %x, %x
  br label %region.0.x.simd.sub_group

entry.simd.1:
  %z = mul <16 x i64> %y, %x
  %6 = insertelement <16 x i64> poison, i64 %28, i32 0
  %7 = shufflevector <16 x i64> %6, <16 x i64> poison, <16 x i32> zeroinitializer
  %d = sub <16 x i64> %z, %7
  store <16 x i64> %d, ptr addrspace(1) %p, align 8
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %entry.simd.sub_group.1

sub_groups.latch:
  br label %simd.remainder

simd.remainder:
  br label %region.0.end

region.0.x.simd.sub_group:
  %gid.x.1 = add nuw nsw i32 %2, 16
  %8 = sext i32 %2 to i64
  %9 = sext i32 16 to i64
  %10 = add i64 %8, %9
  br label %entry.simd.sub_group

entry.simd.sub_group:
  %p.1 = getelementptr i64, ptr addrspace(1) %a, i64 %10
  %x.1 = load <16 x i64>, ptr addrspace(1) %p.1, align 8
  %y.1 = mul <16 x i64> %x.1, %x.1
  br label %sub_groups

sub_groups:
  %11 = shufflevector <16 x i64> %y, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %12 = shufflevector <16 x i64> %y, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %13 = add <8 x i64> %11, %12
  %14 = shufflevector <8 x i64> %13, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %15 = shufflevector <8 x i64> %13, <8 x i64> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %16 = add <4 x i64> %14, %15
  %17 = shufflevector <16 x i64> %y.1, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %18 = shufflevector <16 x i64> %y.1, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %19 = add <8 x i64> %17, %18
  %20 = shufflevector <8 x i64> %19, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %21 = shufflevector <8 x i64> %19, <8 x i64> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %22 = add <4 x i64> %20, %21
  %23 = shufflevector <4 x i64> %16, <4 x i64> %22, <4 x i32> <i32 0, i32 1, i32 6, i32 7>
  %24 = shufflevector <4 x i64> %16, <4 x i64> %22, <4 x i32> <i32 2, i32 3, i32 4, i32 5>
  %25 = add <4 x i64> %23, %24
  %26 = shufflevector <4 x i64> %25, <4 x i64> poison, <4 x i32> <i32 1, i32 poison, i32 3, i32 poison>
  %27 = add <4 x i64> %25, %26
  %28 = extractelement <4 x i64> %27, i32 0
  %29 = extractelement <4 x i64> %27, i32 2
  br label %entry.simd.1

entry.simd.sub_group.1:
  %z.1 = mul <16 x i64> %y.1, %x.1
  %30 = insertelement <16 x i64> poison, i64 %29, i32 0
  %31 = shufflevector <16 x i64> %30, <16 x i64> poison, <16 x i32> zeroinitializer
  %d.1 = sub <16 x i64> %z.1, %31
  store <16 x i64> %d.1, ptr addrspace(1) %p.1, align 8
  br label %region.0.x.latch.simd.sub_group

region.0.x.latch.simd.sub_group:
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
; passed: merge-reductions: @k: Together: 2 sub-groups at a time are reduced together
