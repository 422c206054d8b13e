; The local size comes from the launch: three loops, and the capacity of context arrays at run time.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only
;! launch: (4, 2) / (2, 2)
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = shl i64 %y, 2
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w = mul i32 %v, 10
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %launch, i64 48
  %local_size.x = load i64, ptr %0, align 8
  %1 = trunc i64 %local_size.x to i32
  %2 = getelementptr inbounds i8, ptr %launch, i64 56
  %local_size.y = load i64, ptr %2, align 8
  %3 = trunc i64 %local_size.y to i32
  %4 = getelementptr inbounds i8, ptr %launch, i64 64
  %local_size.z = load i64, ptr %4, align 8
  %5 = trunc i64 %local_size.z to i32
  %6 = mul i64 %group.y, %local_size.y
  %7 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %7, align 8
  %base.y = add i64 %6, %offset.y
  %8 = trunc i64 %base.y to i32
  %9 = mul i64 %group.x, %local_size.x
  %10 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %10, align 8
  %base.x = add i64 %9, %offset.x
  %11 = trunc i64 %base.x to i32
  %12 = mul i64 %local_size.x, %local_size.y
  %13 = mul i64 %12, %local_size.z
  %14 = add i64 %13, 127
  %capacity = and i64 %14, -128
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

barrier:
  br label %region.1.pre

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
  %gid.y = add nuw nsw i32 %8, %y, !weft.id_bits !{i32 29}
  %gid.y.1 = zext nneg i32 %gid.y to i64
  %gid.x = add nuw nsw i32 %11, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %row = shl i64 %gid.y.1, 2
  %i = add i64 %row, %gid.x.1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %lid.z = zext nneg i32 %z to i64
  %15 = mul i64 %lid.z, %local_size.y
  %lid.y = zext nneg i32 %y to i64
  %16 = add i64 %15, %lid.y
  %17 = mul i64 %16, %local_size.x
  %lid.x = zext nneg i32 %x to i64
  %item = add i64 %17, %lid.x
  %18 = mul i64 0, %capacity
  %19 = getelementptr inbounds i8, ptr %context, i64 %18
  %20 = mul nuw nsw i64 %item, 4
  %v.slot = getelementptr inbounds i8, ptr %19, i64 %20
  br label %entry.1

entry.1:
  %row.1 = shl i64 %gid.y.1, 2
  %i.1 = add i64 %row.1, %gid.x.1
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  store i32 %v, ptr %v.slot, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %21 = icmp ult i32 %x.next, %1
  br i1 %21, label %region.0.x, label %region.0.y.latch, !llvm.loop !4

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %22 = icmp ult i32 %y.next, %3
  br i1 %22, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %23 = icmp ult i32 %z.next, %5
  br i1 %23, label %region.0.z, label %region.0.end, !llvm.loop !12

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.z

region.1.z:
  %z.1 = phi i32 [ 0, %region.1.pre ], [ %z.next.1, %region.1.z.latch ]
  br label %region.1.y

region.1.y:
  %y.1 = phi i32 [ 0, %region.1.z ], [ %y.next.1, %region.1.y.latch ]
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.y ], [ %x.next.1, %region.1.x.latch ]
  %lid.z.1 = zext nneg i32 %z.1 to i64
  %24 = mul i64 %lid.z.1, %local_size.y
  %lid.y.1 = zext nneg i32 %y.1 to i64
  %25 = add i64 %24, %lid.y.1
  %26 = mul i64 %25, %local_size.x
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %item.1 = add i64 %26, %lid.x.1
  %27 = mul i64 0, %capacity
  %28 = getelementptr inbounds i8, ptr %context, i64 %27
  %29 = mul nuw nsw i64 %item.1, 4
  %v.slot.1 = getelementptr inbounds i8, ptr %28, i64 %29
  %v.1 = load i32, ptr %v.slot.1, align 4, !llvm.access.group !13
  %gid.y.2 = add nuw nsw i32 %8, %y.1, !weft.id_bits !{i32 29}
  %gid.y.3 = zext nneg i32 %gid.y.2 to i64
  %row.2 = shl i64 %gid.y.3, 2
  %gid.x.2 = add nuw nsw i32 %11, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %i.2 = add i64 %row.2, %gid.x.3
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %i.2
  br label %after

after:
  %w = mul i32 %v.1, 10
  store i32 %w, ptr addrspace(1) %p.1, align 4, !llvm.access.group !13
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %30 = icmp ult i32 %x.next.1, %1
  br i1 %30, label %region.1.x, label %region.1.y.latch, !llvm.loop !17

region.1.y.latch:
  %y.next.1 = add nuw nsw i32 %y.1, 1
  %31 = icmp ult i32 %y.next.1, %3
  br i1 %31, label %region.1.y, label %region.1.z.latch, !llvm.loop !21

region.1.z.latch:
  %z.next.1 = add nuw nsw i32 %z.1, 1
  %32 = icmp ult i32 %z.next.1, %5
  br i1 %32, label %region.1.z, label %region.1.end, !llvm.loop !25

region.1.end:
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
!13 = distinct !{}
!14 = !{!"llvm.loop.parallel_accesses", !13}
!15 = !{!"llvm.loop.mustprogress"}
!16 = !{!"weft.work_items"}
!17 = distinct !{!17, !14, !15, !16}
!18 = !{!"llvm.loop.parallel_accesses", !13}
!19 = !{!"llvm.loop.mustprogress"}
!20 = !{!"llvm.loop.vectorize.enable", i1 false}
!21 = distinct !{!21, !18, !19, !20}
!22 = !{!"llvm.loop.parallel_accesses", !13}
!23 = !{!"llvm.loop.mustprogress"}
!24 = !{!"llvm.loop.vectorize.enable", i1 false}
!25 = distinct !{!25, !22, !23, !24}
