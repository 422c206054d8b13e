; Operations across lanes become shuffles; what is the same for a sub-group stays a scalar.
;! shows: fires
;! opt: -p sub-groups-to-lanes,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8
;! launch: 16 / 8
;! arg a: arange(16, dtype=int32)
;! arg b: zeros(16, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %sum = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  %other = call i32 @_Z21sub_group_shuffle_xorij(i32 %x, i32 1)
  %scan = call i32 @_Z28sub_group_scan_exclusive_addi(i32 %x)
  %even = and i32 %sum, 1
  %odd = icmp ne i32 %even, 0
  %one = select i1 %odd, i32 %other, i32 %scan
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %one, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)

declare i32 @_Z21sub_group_shuffle_xorij(i32, i32)

declare i32 @_Z28sub_group_scan_exclusive_addi(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 8
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
  %4 = sext i32 %lane.0 to i64
  %gid.x = add nuw nsw i32 %3, %lane.0
  %5 = sext i32 %3 to i64
  %6 = add i64 %5, %4
  br label %entry.simd

entry.simd:
  %x.id = trunc i64 %4 to i32
  %lane = and i32 %x.id, 7
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %6
  %x = load <8 x i32>, ptr addrspace(1) %p, align 4
  %7 = call i32 @weft.reduce.add.v8.i32(<8 x i32> %x)
  %8 = insertelement <8 x i32> poison, i32 %lane, i32 0
  %9 = shufflevector <8 x i32> %8, <8 x i32> poison, <8 x i32> zeroinitializer
  %10 = add <8 x i32> %9, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %11 = xor <8 x i32> %10, splat (i32 1)
  %12 = and <8 x i32> %11, splat (i32 7)
  %13 = shufflevector <8 x i32> %x, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %14 = shufflevector <8 x i32> splat (i32 0), <8 x i32> %x, <8 x i32> <i32 0, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %15 = add <8 x i32> %14, %x
  %16 = shufflevector <8 x i32> splat (i32 0), <8 x i32> %15, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13>
  %17 = add <8 x i32> %16, %15
  %18 = shufflevector <8 x i32> splat (i32 0), <8 x i32> %17, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %19 = add <8 x i32> %18, %17
  %20 = shufflevector <8 x i32> splat (i32 0), <8 x i32> %19, <8 x i32> <i32 0, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
  %even = and i32 %7, 1
  %odd = icmp ne i32 %even, 0
  %one = select i1 %odd, <8 x i32> %13, <8 x i32> %20
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %6
  store <8 x i32> %one, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end
}

declare i32 @weft.reduce.add.v8.i32(<8 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
