; A generic pointer may point into the buffer: the second load must not move above such a store.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,order-accesses
;! launch: 8 / 8
;! arg a: arange(24, dtype=int32)
;! arg b: zeros(8, int32)
;! arg n: 1
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = addrspacecast ptr addrspace(1) %b to ptr addrspace(4)
  %c = icmp ne i32 %n, 0
  %i3 = mul i64 %i, 3
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %i3
  %x = load i32, ptr addrspace(1) %first, align 4
  %e = zext i32 %n to i64
  %any = getelementptr i32, ptr addrspace(1) %first, i64 %e
  %generic = addrspacecast ptr addrspace(1) %any to ptr addrspace(4)
  %chosen = select i1 %c, ptr addrspace(4) %generic, ptr addrspace(4) %p
  store i32 %x, ptr addrspace(4) %chosen, align 4
  %second = getelementptr i32, ptr addrspace(1) %first, i64 1
  %y = load i32, ptr addrspace(1) %second, align 4
  %third = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %y, ptr addrspace(1) %third, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = getelementptr inbounds i8, ptr %launch, i64 48
  %local_size.x = load i64, ptr %2, align 8
  %3 = trunc i64 %local_size.x to i32
  %4 = getelementptr inbounds i8, ptr %launch, i64 56
  %local_size.y = load i64, ptr %4, align 8
  %5 = trunc i64 %local_size.y to i32
  %6 = getelementptr inbounds i8, ptr %launch, i64 64
  %local_size.z = load i64, ptr %6, align 8
  %7 = trunc i64 %local_size.z to i32
  %8 = mul i64 %group.x, %local_size.x
  %9 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %9, align 8
  %base.x = add i64 %8, %offset.x
  %10 = trunc i64 %base.x to i32
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
  %gid.x = add nuw nsw i32 %10, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = addrspacecast ptr addrspace(1) %b to ptr addrspace(4)
  %c = icmp ne i32 %n, 0
  %i3 = mul i64 %gid.x.1, 3
  %first = getelementptr i32, ptr addrspace(1) %a, i64 %i3
  %x.1 = load i32, ptr addrspace(1) %first, align 4, !llvm.access.group !0
  %e = zext i32 %n to i64
  %any = getelementptr i32, ptr addrspace(1) %first, i64 %e
  %generic = addrspacecast ptr addrspace(1) %any to ptr addrspace(4)
  %chosen = select i1 %c, ptr addrspace(4) %generic, ptr addrspace(4) %p
  store i32 %x.1, ptr addrspace(4) %chosen, align 4, !llvm.access.group !0
  %second = getelementptr i32, ptr addrspace(1) %first, i64 1
  %y.1 = load i32, ptr addrspace(1) %second, align 4
  %third = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.1
  store i32 %y.1, ptr addrspace(1) %third, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %11 = icmp ult i32 %x.next, %3
  br i1 %11, label %region.0.x, label %region.0.y.latch, !llvm.loop !4

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %12 = icmp ult i32 %y.next, %5
  br i1 %12, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %13 = icmp ult i32 %z.next, %7
  br i1 %13, label %region.0.z, label %region.0.end, !llvm.loop !12

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
