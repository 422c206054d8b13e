; Two sub-groups of 16 work-items run sequentially up to the barrier of the work-group, and then to the end.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 32,1,1
;! launch: 32 / 32
;! arg a: arange(32, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %s = call i32 @_Z16get_sub_group_idv()
  store i32 %s, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2)
  %o = xor i64 %i, 17
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %o
  %y = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2)
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z16get_sub_group_idv()

declare void @_Z7barrierj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 67108864) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %first = alloca i32, align 4
  store i32 0, ptr %first, align 4
  %running = alloca i32, align 4
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 32
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  store i32 2, ptr %running, align 4
  br label %stand

next.sub_group:
  %3 = load i32, ptr %first, align 4
  %4 = add i32 %3, 16
  %more = icmp ult i32 %4, 32
  %5 = select i1 %more, i32 %4, i32 0
  store i32 %5, ptr %first, align 4
  br label %turn

turn:
  %first.1 = load i32, ptr %first, align 4
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = zext i32 %first.1 to i64
  %8 = mul i64 %7, 4
  %9 = getelementptr inbounds i8, ptr %6, i64 %8
  %stands = load i32, ptr %9, align 4
  switch i32 %stands, label %next.sub_group [
    i32 0, label %entry.barrier
    i32 1, label %barrier.turn
    i32 2, label %barrier.turn.1
  ]

entry.barrier:
  br label %region.0.pre

barrier:
  %first.2 = load i32, ptr %first, align 4
  %10 = getelementptr inbounds i8, ptr %context, i64 0
  %11 = zext i32 %first.2 to i64
  %12 = mul i64 %11, 4
  %13 = getelementptr inbounds i8, ptr %10, i64 %12
  store i32 1, ptr %13, align 4
  br label %next.sub_group

barrier.1:
  %first.3 = load i32, ptr %first, align 4
  %14 = getelementptr inbounds i8, ptr %context, i64 0
  %15 = zext i32 %first.3 to i64
  %16 = mul i64 %15, 4
  %17 = getelementptr inbounds i8, ptr %14, i64 %16
  store i32 2, ptr %17, align 4
  br label %next.sub_group

exit.barrier:
  %18 = load i32, ptr %running, align 4
  %19 = sub i32 %18, 1
  store i32 %19, ptr %running, align 4
  %first.4 = load i32, ptr %first, align 4
  %20 = getelementptr inbounds i8, ptr %context, i64 0
  %21 = zext i32 %first.4 to i64
  %22 = mul i64 %21, 4
  %23 = getelementptr inbounds i8, ptr %20, i64 %22
  store i32 -1, ptr %23, align 4
  %24 = icmp eq i32 %19, 0
  br i1 %24, label %end, label %next.sub_group

region.0.pre:
  %first.5 = load i32, ptr %first, align 4
  br label %region.0.lane

region.0.lane:
  %lane = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.lane.latch ]
  %item = add nuw nsw i32 %first.5, %lane
  %sub_group = udiv i32 %first.5, 16
  %gid.x = add nuw nsw i32 %2, %item, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  br label %entry.1

entry.1:
  store i32 %sub_group, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.lane.latch

region.0.lane.latch:
  %lane.next = add nuw nsw i32 %lane, 1
  %25 = icmp ult i32 %lane.next, 16
  br i1 %25, label %region.0.lane, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %barrier

region.1.pre:
  %first.6 = load i32, ptr %first, align 4
  br label %region.1.lane

region.1.lane:
  %lane.1 = phi i32 [ 0, %region.1.pre ], [ %lane.next.1, %region.1.lane.latch ]
  %item.1 = add nuw nsw i32 %first.6, %lane.1
  %sub_group.1 = udiv i32 %first.6, 16
  %gid.x.2 = add nuw nsw i32 %2, %item.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %item.2 = zext nneg i32 %item.1 to i64
  %26 = getelementptr inbounds i8, ptr %context, i64 512
  %27 = mul nuw nsw i64 %item.2, 4
  %y.slot = getelementptr inbounds i8, ptr %26, i64 %27
  br label %after

after:
  %o = xor i64 %gid.x.3, 17
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %o
  %y = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !6
  store i32 %y, ptr %y.slot, align 4, !llvm.access.group !6
  br label %region.1.lane.latch

region.1.lane.latch:
  %lane.next.1 = add nuw nsw i32 %lane.1, 1
  %28 = icmp ult i32 %lane.next.1, 16
  br i1 %28, label %region.1.lane, label %region.1.end, !llvm.loop !11

region.1.end:
  br label %barrier.1

region.2.pre:
  %first.7 = load i32, ptr %first, align 4
  br label %region.2.lane

region.2.lane:
  %lane.2 = phi i32 [ 0, %region.2.pre ], [ %lane.next.2, %region.2.lane.latch ]
  %item.3 = add nuw nsw i32 %first.7, %lane.2
  %sub_group.2 = udiv i32 %first.7, 16
  %item.4 = zext nneg i32 %item.3 to i64
  %29 = getelementptr inbounds i8, ptr %context, i64 512
  %30 = mul nuw nsw i64 %item.4, 4
  %y.slot.1 = getelementptr inbounds i8, ptr %29, i64 %30
  %y.1 = load i32, ptr %y.slot.1, align 4, !llvm.access.group !12
  %gid.x.4 = add nuw nsw i32 %2, %item.3, !weft.id_bits !{i32 29}
  %gid.x.5 = zext nneg i32 %gid.x.4 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.5
  br label %after.1

after.1:
  store i32 %y.1, ptr addrspace(1) %p.1, align 4, !llvm.access.group !12
  br label %region.2.lane.latch

region.2.lane.latch:
  %lane.next.2 = add nuw nsw i32 %lane.2, 1
  %31 = icmp ult i32 %lane.next.2, 16
  br i1 %31, label %region.2.lane, label %region.2.end, !llvm.loop !17

region.2.end:
  br label %exit.barrier

barrier.turn:
  br label %region.1.pre

barrier.turn.1:
  br label %region.2.pre

end:
  ret void

stand:
  %first.8 = phi i32 [ 0, %entry ], [ %36, %stand ]
  %32 = getelementptr inbounds i8, ptr %context, i64 0
  %33 = zext i32 %first.8 to i64
  %34 = mul i64 %33, 4
  %35 = getelementptr inbounds i8, ptr %32, i64 %34
  store i32 0, ptr %35, align 4
  %36 = add i32 %first.8, 16
  %37 = icmp ult i32 %36, 32
  br i1 %37, label %stand, label %turn
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{}
!7 = !{!"llvm.loop.parallel_accesses", !6}
!8 = !{!"llvm.loop.mustprogress"}
!9 = !{!"weft.work_items"}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !7, !8, !9, !10}
!12 = distinct !{}
!13 = !{!"llvm.loop.parallel_accesses", !12}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{!"weft.work_items"}
!16 = !{!"llvm.loop.unroll.disable"}
!17 = distinct !{!17, !13, !14, !15, !16}
