; The second load must not move above a store that may be to the same place, nor that store below the last one.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,order-accesses --remarks order-accesses
;! launch: 8 / 8
;! arg a: arange(24, dtype=int32)
;! arg n: 1
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %i3 = mul i64 %i, 3
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %i3
  %x = load i32, ptr addrspace(1) %first, align 4
  %e = zext i32 %n to i64
  %any = getelementptr i32, ptr addrspace(1) %first, i64 %e
  store i32 %x, ptr addrspace(1) %any, align 4
  %second = getelementptr i32, ptr addrspace(1) %first, i64 1
  %y = load i32, ptr addrspace(1) %second, align 4
  %third = getelementptr i32, ptr addrspace(1) %first, i64 2
  store i32 %y, ptr addrspace(1) %third, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
  %1 = getelementptr inbounds i8, ptr %launch, i64 48
  %local_size.x = load i64, ptr %1, align 8
  %2 = trunc i64 %local_size.x to i32
  %3 = getelementptr inbounds i8, ptr %launch, i64 56
  %local_size.y = load i64, ptr %3, align 8
  %4 = trunc i64 %local_size.y to i32
  %5 = getelementptr inbounds i8, ptr %launch, i64 64
  %local_size.z = load i64, ptr %5, align 8
  %6 = trunc i64 %local_size.z to i32
  %7 = mul i64 %group.x, %local_size.x
  %8 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %8, align 8
  %base.x = add i64 %7, %offset.x
  %9 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.z

region.0.z:
  %z = phi i32 [ 0, %region.0.pre ], [ %z.next, %region.0.z.latch ]
  br label %region.0.y

region.0.y:
  %y = phi i32 [ 0, %region.0.z ], [ %y.next, %region.0.y.latch ]
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.y ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %9, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %i3 = mul i64 %gid.x.1, 3
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %i3
  %x.1 = load i32, ptr addrspace(1) %first, align 4, !llvm.access.group !0
  %e = zext i32 %n to i64
  %any = getelementptr i32, ptr addrspace(1) %first, i64 %e
  store i32 %x.1, ptr addrspace(1) %any, align 4
  %second = getelementptr i32, ptr addrspace(1) %first, i64 1
  %y.1 = load i32, ptr addrspace(1) %second, align 4
  %third = getelementptr i32, ptr addrspace(1) %first, i64 2
  store i32 %y.1, ptr addrspace(1) %third, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %10 = icmp ult i32 %x.next, %2
  br i1 %10, label %region.0.x, label %region.0.y.latch, !llvm.loop !4

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %11 = icmp ult i32 %y.next, %4
  br i1 %11, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %12 = icmp ult i32 %z.next, %6
  br i1 %12, label %region.0.z, label %region.0.end, !llvm.loop !12

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = distinct !{!4, !1, !2, !3}
!5 = !{!"llvm.loop.parallel_accesses", !0}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{!"llvm.loop.vectorize.enable", i1 false}
!8 = distinct !{!8, !5, !6, !7}
!9 = !{!"llvm.loop.parallel_accesses", !0}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.vectorize.enable", i1 false}
!12 = distinct !{!12, !9, !10, !11}
; passed: order-accesses: @k: Kept: a store stays ordered: another access may alias it
; passed: order-accesses: @k: Kept: a load stays ordered: another access may alias it
