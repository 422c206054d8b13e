; Each lane reads a row, one element for each row of work-items: rows are loaded before the loop over y.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,transpose-rows --local-size 4,4 --remarks transpose-rows
;! launch: (8, 8) / (4, 4)
;! arg out: zeros(64, dtype=int32)
;! arg a: arange(128, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = mul nuw nsw i64 %x, 16
  %at = add nuw nsw i64 %row, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %up = shl nuw nsw i64 %y, 3
  %to = add nuw nsw i64 %up, %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %to
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 536870912) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %columns = alloca [4 x <4 x i32>], align 16
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 4
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  %4 = mul i64 %group.y, 4
  %5 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %5, align 8
  %base.y = add i64 %4, %offset.y
  %6 = trunc i64 %base.y to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %7 = sext i32 %3 to i64
  %8 = sext i32 0 to i64
  %9 = add i64 %7, %8
  %row = mul nuw nsw i64 %9, 16
  %gid.y = add nuw nsw i32 %6, 0
  %gid.y.1 = zext nneg i32 %gid.y to i64
  %at = add nuw nsw i64 %row, %gid.y.1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %10 = load <4 x i32>, ptr addrspace(1) %p, align 4
  %11 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 64
  %12 = load <4 x i32>, ptr addrspace(1) %11, align 4
  %13 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 128
  %14 = load <4 x i32>, ptr addrspace(1) %13, align 4
  %15 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 192
  %16 = load <4 x i32>, ptr addrspace(1) %15, align 4
  %17 = shufflevector <4 x i32> %10, <4 x i32> %12, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %18 = shufflevector <4 x i32> %10, <4 x i32> %12, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %19 = shufflevector <4 x i32> %14, <4 x i32> %16, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %20 = shufflevector <4 x i32> %14, <4 x i32> %16, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %21 = shufflevector <4 x i32> %17, <4 x i32> %19, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %22 = shufflevector <4 x i32> %17, <4 x i32> %19, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %23 = shufflevector <4 x i32> %18, <4 x i32> %20, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %24 = shufflevector <4 x i32> %18, <4 x i32> %20, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x i32> %21, ptr %columns, align 16
  %25 = getelementptr inbounds i8, ptr %columns, i64 16
  store <4 x i32> %22, ptr %25, align 16
  %26 = getelementptr inbounds i8, ptr %columns, i64 32
  store <4 x i32> %23, ptr %26, align 16
  %27 = getelementptr inbounds i8, ptr %columns, i64 48
  store <4 x i32> %24, ptr %27, align 16
  br label %region.0.y

region.0.y:
  %y = phi i32 [ 0, %region.0.pre ], [ %y.next, %region.0.y.latch ]
  br label %region.0.x.simd

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %28 = icmp ult i32 %y.next, 4
  br i1 %28, label %region.0.y, label %region.0.end, !llvm.loop !9

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.y ]
  %gid.x = add nuw nsw i32 %3, %lane.0
  %29 = sext i32 %3 to i64
  %30 = sext i32 %lane.0 to i64
  %31 = add i64 %29, %30
  %gid.y.2 = add nuw nsw i32 %6, %y
  %gid.y.3 = zext nneg i32 %gid.y.2 to i64
  br label %entry.simd

entry.simd:
  %row.1 = mul nuw nsw i64 %31, 16
  %at.1 = add nuw nsw i64 %row.1, %gid.y.3
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %at.1
  %32 = getelementptr i8, ptr addrspace(1) %p.1, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  %33 = getelementptr inbounds <4 x i32>, ptr %columns, i32 %y
  %34 = load <4 x i32>, ptr %33, align 16
  %up = shl nuw nsw i64 %gid.y.3, 3
  %to = add nuw nsw i64 %up, %31
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %to
  store <4 x i32> %34, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.y.latch
}

declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.parallel_accesses", !0}
!7 = !{!"llvm.loop.mustprogress"}
!8 = !{!"llvm.loop.vectorize.enable", i1 false}
!9 = distinct !{!9, !6, !7, !8}
; passed: transpose-rows: @k: TransposedRows: whole rows, transposed
