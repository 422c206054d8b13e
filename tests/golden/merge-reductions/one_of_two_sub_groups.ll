; Only the first sub-group of a work-group is reduced.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,merge-reductions --local-size 32 --remarks merge-reductions
;! launch: 64 / 32
;! arg a: arange(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %s = call i32 @_Z16get_sub_group_idv()
  %is_first = icmp eq i32 %s, 0
  br i1 %is_first, label %then, label %end

then:
  %sum = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  store i32 %sum, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)

declare i32 @_Z16get_sub_group_idv()
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
  %sub_group = lshr i32 %x.id, 4
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %5
  %x = load <16 x i32>, ptr addrspace(1) %p, align 4
  %is_first = icmp eq i32 %sub_group, 0
  br i1 %is_first, label %then.simd, label %end.simd

then.simd:
  %6 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %7 = shufflevector <16 x i32> %x, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %8 = add <8 x i32> %6, %7
  %9 = shufflevector <8 x i32> %8, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %10 = shufflevector <8 x i32> %8, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %11 = add <4 x i32> %9, %10
  %12 = shufflevector <4 x i32> %11, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %13 = shufflevector <4 x i32> %11, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %14 = add <2 x i32> %12, %13
  %15 = shufflevector <2 x i32> %14, <2 x i32> poison, <1 x i32> splat (i32 0)
  %16 = shufflevector <2 x i32> %14, <2 x i32> poison, <1 x i32> splat (i32 1)
  %17 = add <1 x i32> %15, %16
  %18 = extractelement <1 x i32> %17, i32 0
  %19 = insertelement <16 x i32> poison, i32 %18, i32 0
  %20 = shufflevector <16 x i32> %19, <16 x i32> poison, <16 x i32> zeroinitializer
  store <16 x i32> %20, ptr addrspace(1) %p, align 4
  br label %end.simd

end.simd:
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 16
  %21 = icmp ult i32 %lane.next, 32
  br i1 %21, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

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
; missed: merge-reductions: @k: NotAll: sub-groups are reduced separately: it depends on them whether or how often
