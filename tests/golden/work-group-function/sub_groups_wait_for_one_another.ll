; Sub-groups that may wait for one another run on separate stacks, across a barrier of the work-group.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 32,1,1
;! launch: 32 / 32
;! arg flag: ones(1, int32)
;! arg a: zeros(32, int32)
define spir_kernel void @k(ptr addrspace(1) %flag, ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %spin

spin:
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %meet, label %spin

meet:
  call void @_Z7barrierj(i32 1)
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 67108864) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %first = alloca i32, align 4
  store i32 0, ptr %first, align 4
  %next = getelementptr inbounds i8, ptr %context, i64 512
  %running = getelementptr inbounds i8, ptr %next, i64 4
  %flag = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 32
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  %stacks = getelementptr inbounds i8, ptr %context, i64 2048
  %more = call i32 @weft_begin_sub_groups(ptr @weft.workgroup.k, ptr %launch, ptr %args, ptr %local, ptr %context, i64 %group.x, i64 %group.y, i64 %group.z, ptr %next, i32 32, ptr %stacks, i64 88064)
  %4 = icmp eq i32 %more, 0
  br i1 %4, label %first.stack, label %next.sub_group

next.sub_group:
  %first.1 = load i32, ptr %next, align 4
  %5 = icmp ult i32 %first.1, 32
  br i1 %5, label %begin, label %begun

turn:
  %first.2 = load i32, ptr %first, align 4
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = zext i32 %first.2 to i64
  %8 = mul i64 %7, 4
  %9 = getelementptr inbounds i8, ptr %6, i64 %8
  %stands = load i32, ptr %9, align 4
  switch i32 %stands, label %next.sub_group [
    i32 0, label %entry.barrier
    i32 1, label %barrier.turn
  ]

begin:
  store i32 %first.1, ptr %first, align 4
  %10 = add i32 %first.1, 16
  store i32 %10, ptr %next, align 4
  br label %turn

begun:
  call void @weft_await_sub_groups()
  %11 = load i32, ptr %running, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %end, label %again

end:
  call void @weft_end_sub_groups()
  ret void

again:
  store i32 0, ptr %next, align 4
  br label %next.sub_group

entry.barrier:
  br label %region.0.pre

barrier:
  %first.3 = load i32, ptr %first, align 4
  %13 = getelementptr inbounds i8, ptr %context, i64 0
  %14 = zext i32 %first.3 to i64
  %15 = mul i64 %14, 4
  %16 = getelementptr inbounds i8, ptr %13, i64 %15
  store i32 1, ptr %16, align 4
  br label %next.sub_group

exit.barrier:
  %17 = load i32, ptr %running, align 4
  %18 = sub i32 %17, 1
  store i32 %18, ptr %running, align 4
  %first.4 = load i32, ptr %first, align 4
  %19 = getelementptr inbounds i8, ptr %context, i64 0
  %20 = zext i32 %first.4 to i64
  %21 = mul i64 %20, 4
  %22 = getelementptr inbounds i8, ptr %19, i64 %21
  store i32 -1, ptr %22, align 4
  br label %next.sub_group

region.0.pre:
  %first.5 = load i32, ptr %first, align 4
  br label %region.0.lane

region.0.lane:
  %lane = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.lane.latch ]
  %item = add nuw nsw i32 %first.5, %lane
  %sub_group = udiv i32 %first.5, 16
  %item.1 = zext nneg i32 %item to i64
  %23 = getelementptr inbounds i8, ptr %context, i64 1536
  %24 = mul nuw nsw i64 %item.1, 4
  %v.slot = getelementptr inbounds i8, ptr %23, i64 %24
  br label %entry.1

entry.1:
  br label %spin

spin:
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  store i32 %v, ptr %v.slot, align 4, !llvm.access.group !0
  %set = icmp ne i32 %v, 0
  br i1 %set, label %meet, label %spin

meet:
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
  %item.2 = add nuw nsw i32 %first.6, %lane.1
  %sub_group.1 = udiv i32 %first.6, 16
  %item.3 = zext nneg i32 %item.2 to i64
  %26 = getelementptr inbounds i8, ptr %context, i64 1536
  %27 = mul nuw nsw i64 %item.3, 4
  %v.slot.1 = getelementptr inbounds i8, ptr %26, i64 %27
  %v.1 = load i32, ptr %v.slot.1, align 4, !llvm.access.group !6
  %gid.x = add nuw nsw i32 %3, %item.2, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  br label %after

after:
  store i32 %v.1, ptr addrspace(1) %p, align 4, !llvm.access.group !6
  br label %region.1.lane.latch

region.1.lane.latch:
  %lane.next.1 = add nuw nsw i32 %lane.1, 1
  %28 = icmp ult i32 %lane.next.1, 16
  br i1 %28, label %region.1.lane, label %region.1.end, !llvm.loop !11

region.1.end:
  br label %exit.barrier

barrier.turn:
  br label %region.1.pre

first.stack:
  store i32 0, ptr %next, align 4
  store i32 2, ptr %running, align 4
  br label %stand

stand:
  %first.7 = phi i32 [ 0, %first.stack ], [ %33, %stand ]
  %29 = getelementptr inbounds i8, ptr %context, i64 0
  %30 = zext i32 %first.7 to i64
  %31 = mul i64 %30, 4
  %32 = getelementptr inbounds i8, ptr %29, i64 %31
  store i32 0, ptr %32, align 4
  %33 = add i32 %first.7, 16
  %34 = icmp ult i32 %33, 32
  br i1 %34, label %stand, label %next.sub_group
}

declare void @weft_await_sub_groups()

declare void @weft_end_sub_groups()

declare i32 @weft_begin_sub_groups(ptr, ptr, ptr, ptr, ptr, i64, i64, i64, ptr, i32, ptr, i64)


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
