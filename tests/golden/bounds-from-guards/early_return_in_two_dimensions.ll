; `if (x >= w || y >= h) return`: each loop gets its own bound, and no row is visited for nothing.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards
;! launch: (8, 6) / (4, 3)
;! arg a: zeros((6, 8), int32)
;! arg w: int32(7)
;! arg h: int32(4)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %w, i32 %h) {
entry:
  %gx = call i64 @_Z13get_global_idj(i32 0)
  %gy = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %gx to i32
  %y = trunc i64 %gy to i32
  %right = icmp sge i32 %x, %w
  %below = icmp sge i32 %y, %h
  %out = select i1 %right, i1 true, i1 %below
  br i1 %out, label %exit, label %body

body:
  %row = shl i64 %gy, 3
  %at = add i64 %row, %gx
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  store i32 1, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %w = load i32, ptr %0, align 4
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %h = load i32, ptr %1, align 4
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
  %11 = mul i64 %group.y, %local_size.y
  %12 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %12, align 8
  %base.y = add i64 %11, %offset.y
  %13 = trunc i64 %base.y to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %gid.x = zext nneg i32 %10 to i64
  %x = trunc i64 %gid.x to i32
  %14 = icmp slt i32 %x, %w
  %15 = sub i32 %w, %x
  %16 = select i1 %14, i32 %15, i32 0
  %17 = icmp ult i32 %16, %3
  %18 = select i1 %17, i32 %16, i32 %3
  %19 = icmp ult i32 0, %18
  br i1 %19, label %region.0.z.pre, label %region.0.end

region.0.z.pre:
  %gid.y = zext nneg i32 %13 to i64
  %y = trunc i64 %gid.y to i32
  %20 = icmp slt i32 %y, %h
  %21 = sub i32 %h, %y
  %22 = select i1 %20, i32 %21, i32 0
  %23 = icmp ult i32 %22, %5
  %24 = select i1 %23, i32 %22, i32 %5
  %25 = icmp ult i32 0, %24
  br i1 %25, label %region.0.z.pre.1, label %region.0.end

region.0.z.pre.1:
  %26 = icmp ult i32 0, %18
  br i1 %26, label %region.0.z.pre.2, label %region.0.end

region.0.z.pre.2:
  %27 = icmp ult i32 0, %24
  br i1 %27, label %region.0.z.pre.3, label %region.0.end

region.0.z.pre.3:
  br label %region.0.z

region.0.z:
  %z = phi i32 [ 0, %region.0.z.pre.3 ], [ %z.next, %region.0.z.latch ]
  br label %region.0.y.pre

region.0.y.pre:
  br label %region.0.y.pre.1

region.0.y.pre.1:
  br label %region.0.y.pre.2

region.0.y.pre.2:
  br label %region.0.y.pre.3

region.0.y.pre.3:
  br label %region.0.y

region.0.y:
  %y.1 = phi i32 [ %y.next, %region.0.y.latch ], [ 0, %region.0.y.pre.3 ]
  br label %region.0.x.pre

region.0.x.pre:
  %gid.y.1 = add nuw nsw i32 %13, %y.1
  %gid.y.2 = zext nneg i32 %gid.y.1 to i64
  br label %region.0.x.pre.1

region.0.x.pre.1:
  br label %region.0.x.pre.2

region.0.x.pre.2:
  br label %region.0.x

region.0.x:
  %x.1 = phi i32 [ %x.next, %region.0.x.latch ], [ 0, %region.0.x.pre.2 ]
  %gid.x.1 = add nuw nsw i32 %10, %x.1, !weft.id_bits !{i32 29}
  %gid.x.2 = zext nneg i32 %gid.x.1 to i64
  br label %entry.1

entry.1:
  br label %body

exit:
  br label %region.0.x.latch

body:
  %row = shl i64 %gid.y.2, 3
  %at = add i64 %row, %gid.x.2
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  store i32 1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

region.0.x.latch:
  %x.next = add nuw nsw i32 %x.1, 1
  %28 = icmp ult i32 %x.next, %18
  br i1 %28, label %region.0.x, label %region.0.y.latch, !llvm.loop !16

region.0.y.latch:
  %y.next = add nuw nsw i32 %y.1, 1
  %29 = icmp ult i32 %y.next, %24
  br i1 %29, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %30 = icmp ult i32 %z.next, %7
  br i1 %30, label %region.0.z, label %region.0.end, !llvm.loop !12

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
!13 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!14 = distinct !{!14, !1, !2, !3, !13}
!15 = !{!"llvm.loop.unroll.disable"}
!16 = distinct !{!16, !1, !2, !3, !13, !15}
