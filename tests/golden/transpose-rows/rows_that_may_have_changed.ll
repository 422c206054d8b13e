; What a work-item reads may be what it has just written: the gather stays in its place.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,transpose-rows --local-size 4,4 --remarks transpose-rows
;! launch: (8, 8) / (4, 4)
;! arg out: zeros(64, dtype=int32)
;! arg a: arange(128, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %up = shl nuw nsw i64 %y, 3
  %to = add nuw nsw i64 %up, %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %to
  store i32 7, ptr addrspace(1) %q, align 4
  %row = mul nuw nsw i64 %x, 16
  %at = add nuw nsw i64 %row, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 536870912) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.y, 4
  %2 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %2, align 8
  %base.y = add i64 %1, %offset.y
  %3 = trunc i64 %base.y to i32
  %4 = mul i64 %group.x, 4
  %5 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %5, align 8
  %base.x = add i64 %4, %offset.x
  %6 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.y

region.0.y:
  %y = phi i32 [ 0, %region.0.pre ], [ %y.next, %region.0.y.latch ]
  br label %region.0.x.simd

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %7 = icmp ult i32 %y.next, 4
  br i1 %7, label %region.0.y, label %region.0.end, !llvm.loop !9

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.y ]
  %gid.y = add nuw nsw i32 %3, %y
  %gid.y.1 = zext nneg i32 %gid.y to i64
  %gid.x = add nuw nsw i32 %6, %lane.0
  %8 = sext i32 %6 to i64
  %9 = sext i32 %lane.0 to i64
  %10 = add i64 %8, %9
  br label %entry.simd

entry.simd:
  %up = shl nuw nsw i64 %gid.y.1, 3
  %to = add nuw nsw i64 %up, %10
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %to
  store <4 x i32> splat (i32 7), ptr addrspace(1) %q, align 4
  %row = mul nuw nsw i64 %10, 16
  %at = add nuw nsw i64 %row, %gid.y.1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %11 = getelementptr i8, ptr addrspace(1) %p, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %11, <4 x i1> splat (i1 true), <4 x i32> poison)
  store <4 x i32> %v, ptr addrspace(1) %q, align 4
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
; missed: transpose-rows: @k: MayHaveChanged: an earlier store of the iteration may alias the gather
