; Lanes load two adjacent numbers at unordered addresses: both are gathered as one of 64 bits. The load
; after the store is not joined with them, because the store might change it.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1
;! launch: 16 / 8
;! arg pairs: arange(64, dtype=int32) * 7
;! arg places: arange(16, dtype=int32) * 5 % 16 * 4
;! arg result: zeros(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %pairs, ptr addrspace(1) %places, ptr addrspace(1) %result) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %places, i64 %i
  %at = load i32, ptr addrspace(1) %place, align 4
  %wide = zext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %pairs, i64 %wide
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %r = getelementptr i8, ptr addrspace(1) %p, i64 8
  %second = load i32, ptr addrspace(1) %q, align 4
  %first = load i32, ptr addrspace(1) %p, align 4
  %difference = sub i32 %second, %first
  %out = getelementptr i32, ptr addrspace(1) %result, i64 %i
  store i32 %difference, ptr addrspace(1) %out, align 4
  %third = load i32, ptr addrspace(1) %r, align 4
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi i32 [ %third, %entry ], [ %s.next, %body ]
  %more = icmp slt i32 %n, 5
  br i1 %more, label %body, label %exit

body:
  %square = mul i32 %s, %s
  %s.next = add i32 %square, %difference
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %last = phi i32 [ %s, %header ]
  store i32 %last, ptr addrspace(1) %out, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %pairs = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %places = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %result = load ptr addrspace(1), ptr %1, align 8
  %2 = mul i64 %group.x, 8
  %3 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %3, align 8
  %base.x = add i64 %2, %offset.x
  %4 = trunc i64 %base.x to i32
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
  %gid.x = add nuw nsw i32 %4, %lane.0
  %5 = sext i32 %4 to i64
  %6 = sext i32 %lane.0 to i64
  %7 = add i64 %5, %6
  br label %entry.simd

entry.simd:
  %place = getelementptr i32, ptr addrspace(1) %places, i64 %7
  %at = load <8 x i32>, ptr addrspace(1) %place, align 4
  %wide = zext <8 x i32> %at to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %pairs, <8 x i64> %wide
  %q = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 4
  %r = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 8
  %8 = call <8 x i64> @llvm.masked.gather.v8i64.v8p1(<8 x ptr addrspace(1)> align 4 %p, <8 x i1> splat (i1 true), <8 x i64> poison)
  %9 = bitcast <8 x i64> %8 to <16 x i32>
  %10 = shufflevector <16 x i32> %9, <16 x i32> poison, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %11 = shufflevector <16 x i32> %9, <16 x i32> poison, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %difference = sub <8 x i32> %11, %10
  %out = getelementptr i32, ptr addrspace(1) %result, i64 %7
  store <8 x i32> %difference, ptr addrspace(1) %out, align 4
  %third = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %r, <8 x i1> splat (i1 true), <8 x i32> poison)
  br label %header.simd

header.simd:
  %n = phi i32 [ 0, %entry.simd ], [ %n.next, %body.simd ]
  %s = phi <8 x i32> [ %third, %entry.simd ], [ %s.next, %body.simd ]
  %more = icmp slt i32 %n, 5
  br i1 %more, label %body.simd, label %exit.simd

exit.simd:
  %last = phi <8 x i32> [ %s, %header.simd ]
  store <8 x i32> %last, ptr addrspace(1) %out, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %square = mul <8 x i32> %s, %s
  %s.next = add <8 x i32> %square, %difference
  %n.next = add nsw i32 %n, 1
  br label %header.simd
}

declare <8 x i64> @llvm.masked.gather.v8i64.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i64>)

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
