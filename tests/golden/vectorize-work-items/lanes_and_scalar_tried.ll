; Lanes would gather from private tables: lanes and scalar code are both tried at run time. The table of the
; scalar code stays dense.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,disable-inner-loop-vectorization --local-size 8,1,1 --remarks vectorize-work-items
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %table = alloca [512 x i8], align 1
  %i = call i64 @_Z13get_global_idj(i32 0)
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %on = icmp slt i32 %j, 512
  br i1 %on, label %body, label %walk

body:
  %number = trunc i32 %j to i8
  %index = zext nneg i32 %j to i64
  %p = getelementptr [1 x i8], ptr %table, i64 %index
  store i8 %number, ptr %p, align 1
  %next = add nuw nsw i32 %j, 1
  br label %header

walk:
  %a.p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %first = load i32, ptr addrspace(1) %a.p, align 4
  br label %steps

steps:
  %k = phi i32 [ 0, %walk ], [ %k.next, %step ]
  %state = phi i32 [ %first, %walk ], [ %sum, %step ]
  %more = icmp slt i32 %k, 20
  br i1 %more, label %step, label %exit

step:
  %low = and i32 %state, 511
  %at = zext nneg i32 %low to i64
  %q = getelementptr [1 x i8], ptr %table, i64 %at
  %found = load i8, ptr %q, align 1
  %wide = zext i8 %found to i32
  %sum = add i32 %state, %wide
  %byte = trunc i32 %sum to i8
  store i8 %byte, ptr %q, align 1
  %k.next = add nuw nsw i32 %k, 1
  br label %steps

exit:
  %out.p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %state, ptr addrspace(1) %out.p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

@weft.loops.k = global [584 x i8] zeroinitializer, align 64

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %table = alloca [512 x i8], align 1
  %1 = mul i64 %group.x, 8
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  %4 = or i64 %group.x, %group.y
  %5 = or i64 %4, %group.z
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %launched.first, label %launched

launched.first:
  call void @weft_loop_launched(ptr @weft.loops.k, i64 2)
  br label %launched

launched:
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %strategy = load volatile i64, ptr @weft.loops.k, align 8
  %7 = icmp eq i64 %strategy, 0
  br i1 %7, label %version.try, label %version.chosen

region.0.x:
  %x = phi i32 [ 0, %version.scalar ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  br label %header

header:
  %j = phi i32 [ 0, %entry.1 ], [ %next, %body ]
  %on = icmp slt i32 %j, 512
  br i1 %on, label %body, label %walk

body:
  %number = trunc i32 %j to i8
  %index = zext nneg i32 %j to i64
  %p = getelementptr [1 x i8], ptr %table, i64 %index
  store i8 %number, ptr %p, align 1
  %next = add nuw nsw i32 %j, 1
  br label %header, !llvm.loop !9

walk:
  %a.p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %first = load i32, ptr addrspace(1) %a.p, align 4, !llvm.access.group !0
  br label %steps

steps:
  %k = phi i32 [ 0, %walk ], [ %k.next, %step ]
  %state = phi i32 [ %first, %walk ], [ %sum, %step ]
  %more = icmp slt i32 %k, 20
  br i1 %more, label %step, label %exit

step:
  %low = and i32 %state, 511
  %at = zext nneg i32 %low to i64
  %q = getelementptr [1 x i8], ptr %table, i64 %at
  %found = load i8, ptr %q, align 1
  %wide = zext i8 %found to i32
  %sum = add i32 %state, %wide
  %byte = trunc i32 %sum to i8
  store i8 %byte, ptr %q, align 1
  %k.next = add nuw nsw i32 %k, 1
  br label %steps, !llvm.loop !12

exit:
  %out.p = getelementptr i32, ptr addrspace(1) %out, i64 %gid.x.1
  store i32 %state, ptr addrspace(1) %out.p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %8 = icmp ult i32 %x.next, 8
  br i1 %8, label %region.0.x, label %version.done, !llvm.loop !5

region.0.end:
  br label %exit.barrier

version.scalar:
  br label %region.0.x

version.lanes:
  br label %region.0.x.version

region.0.x.version:
  %x.1 = phi i32 [ 0, %version.lanes ], [ %x.next.1, %region.0.x.latch.version ]
  %gid.x.2 = add nuw nsw i32 %3, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  br label %entry.version

entry.version:
  br label %header.version

header.version:
  %j.1 = phi i32 [ 0, %entry.version ], [ %next.1, %body.version ]
  %on.1 = icmp slt i32 %j.1, 512
  br i1 %on.1, label %body.version, label %walk.version

walk.version:
  %a.p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  %first.1 = load i32, ptr addrspace(1) %a.p.1, align 4, !llvm.access.group !0
  br label %steps.version

steps.version:
  %k.1 = phi i32 [ 0, %walk.version ], [ %k.next.1, %step.version ]
  %state.1 = phi i32 [ %first.1, %walk.version ], [ %sum.1, %step.version ]
  %more.1 = icmp slt i32 %k.1, 20
  br i1 %more.1, label %step.version, label %exit.version

exit.version:
  %out.p.1 = getelementptr i32, ptr addrspace(1) %out, i64 %gid.x.3
  store i32 %state.1, ptr addrspace(1) %out.p.1, align 4, !llvm.access.group !0
  br label %region.0.x.latch.version

region.0.x.latch.version:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %9 = icmp ult i32 %x.next.1, 8
  br i1 %9, label %region.0.x.version, label %version.done, !llvm.loop !5

step.version:
  %low.1 = and i32 %state.1, 511
  %at.1 = zext nneg i32 %low.1 to i64
  %q.1 = getelementptr [1 x i8], ptr %table, i64 %at.1
  %found.1 = load i8, ptr %q.1, align 1
  %wide.1 = zext i8 %found.1 to i32
  %sum.1 = add i32 %state.1, %wide.1
  %byte.1 = trunc i32 %sum.1 to i8
  store i8 %byte.1, ptr %q.1, align 1
  %k.next.1 = add nuw nsw i32 %k.1, 1
  br label %steps.version, !llvm.loop !11

body.version:
  %number.1 = trunc i32 %j.1 to i8
  %index.1 = zext nneg i32 %j.1 to i64
  %p.1 = getelementptr [1 x i8], ptr %table, i64 %index.1
  store i8 %number.1, ptr %p.1, align 1
  %next.1 = add nuw nsw i32 %j.1, 1
  br label %header.version, !llvm.loop !7

version.try:
  %10 = call i64 @weft_strategy_to_try(ptr @weft.loops.k, i64 2)
  %started = call i64 @llvm.readcyclecounter()
  br label %version.chosen

version.chosen:
  %strategy.1 = phi i64 [ %strategy, %region.0.pre ], [ %10, %version.try ]
  %started.1 = phi i64 [ 0, %region.0.pre ], [ %started, %version.try ]
  switch i64 %strategy.1, label %version.scalar [
    i64 2, label %version.lanes
  ]

version.done:
  %11 = icmp eq i64 %started.1, 0
  br i1 %11, label %region.0.end, label %version.measure

version.measure:
  %12 = call i64 @llvm.readcyclecounter()
  %13 = sub i64 %12, %started.1
  call void @weft_strategy_tried(ptr @weft.loops.k, i64 2, i64 %strategy.1, i64 8, i64 %13)
  br label %region.0.end
}

declare i64 @weft_strategy_to_try(ptr, i64) cold nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)

declare i64 @llvm.readcyclecounter()

declare void @weft_strategy_tried(ptr, i64, i64, i64, i64) cold nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)

declare void @weft_loop_launched(ptr, i64) cold nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"weft.along_rows"}
!7 = distinct !{!7, !6}
!8 = !{!"weft.along_rows"}
!9 = distinct !{!9, !8}
!10 = !{!"llvm.loop.vectorize.enable", i1 false}
!11 = distinct !{!11, !10}
!12 = distinct !{!12, !10}
; missed: vectorize-work-items: @k: LoopForm: a loop has several entries or latches, or is not in LCSSA form
; missed: vectorize-work-items: @k: CostsMore: 8 lanes are not profitable
