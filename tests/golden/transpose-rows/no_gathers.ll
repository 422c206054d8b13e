; Lanes read and write adjacent elements: there are no rows to transpose.
;! shows: leaves alone
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,transpose-rows --local-size 4,4 --remarks transpose-rows
;! launch: (8, 8) / (4, 4)
;! arg a: arange(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = shl nuw nsw i64 %y, 3
  %at = add nuw nsw i64 %row, %x
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 536870912) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.y, 4
  %1 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %1, align 8
  %base.y = add i64 %0, %offset.y
  %2 = trunc i64 %base.y to i32
  %3 = mul i64 %group.x, 4
  %4 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %4, align 8
  %base.x = add i64 %3, %offset.x
  %5 = trunc i64 %base.x to i32
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
  %6 = icmp ult i32 %y.next, 4
  br i1 %6, label %region.0.y, label %region.0.end, !llvm.loop !9

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.y ]
  %gid.y = add nuw nsw i32 %2, %y
  %gid.y.1 = zext nneg i32 %gid.y to i64
  %gid.x = add nuw nsw i32 %5, %lane.0
  %7 = sext i32 %5 to i64
  %8 = sext i32 %lane.0 to i64
  %9 = add i64 %7, %8
  br label %entry.simd

entry.simd:
  %row = shl nuw nsw i64 %gid.y.1, 3
  %at = add nuw nsw i64 %row, %9
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %v = load <4 x i32>, ptr addrspace(1) %p, align 4
  %w = add <4 x i32> %v, splat (i32 1)
  store <4 x i32> %w, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.y.latch
}


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
