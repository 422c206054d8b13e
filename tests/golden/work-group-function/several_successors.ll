; A divergent branch between paths that share a barrier stays inside its region, which records the one reached.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 2
;! launch: 4 / 2
;! arg a: array([3, 4, -1, -2], int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %first, label %end

first:
  %large = icmp sgt i32 %v, 100
  br i1 %large, label %end, label %then

then:
  call void @_Z7barrierj(i32 2) #0
  store i32 50, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 1073741824) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 2
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

barrier:
  br label %region.1.pre

barrier.rest:
  br label %rest.1.pre

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %lid.x = zext nneg i32 %x to i64
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %first, label %end

first:
  %large = icmp sgt i32 %v, 100
  br i1 %large, label %end, label %then

end:
  br label %region.0.reached

then:
  br label %region.0.reached.1

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %3 = icmp ult i32 %x.next, 2
  br i1 %3, label %region.0.x, label %region.0.end, !llvm.loop !4

region.0.end:
  br label %region.0.survey

region.0.reached:
  %4 = getelementptr inbounds i8, ptr %context, i64 0
  %5 = mul nuw nsw i64 %lid.x, 4
  %6 = getelementptr inbounds i8, ptr %4, i64 %5
  store i32 0, ptr %6, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.reached.1:
  %7 = getelementptr inbounds i8, ptr %context, i64 0
  %8 = mul nuw nsw i64 %lid.x, 4
  %9 = getelementptr inbounds i8, ptr %7, i64 %8
  store i32 1, ptr %9, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.survey:
  %item = phi i64 [ 0, %region.0.end ], [ %22, %region.0.survey ]
  %10 = phi i32 [ 2147483647, %region.0.end ], [ %17, %region.0.survey ]
  %11 = phi i32 [ 0, %region.0.end ], [ %19, %region.0.survey ]
  %12 = phi i32 [ 0, %region.0.end ], [ %21, %region.0.survey ]
  %13 = getelementptr inbounds i8, ptr %context, i64 0
  %14 = mul nuw nsw i64 %item, 4
  %15 = getelementptr inbounds i8, ptr %13, i64 %14
  %number = load i32, ptr %15, align 4
  %16 = icmp ult i32 %number, %10
  %17 = select i1 %16, i32 %number, i32 %10
  %18 = icmp ugt i32 %number, %11
  %19 = select i1 %18, i32 %number, i32 %11
  %20 = icmp ne i32 %number, 0
  %21 = select i1 %20, i32 %number, i32 %12
  %22 = add nuw nsw i64 %item, 1
  %23 = icmp ult i64 %22, 2
  br i1 %23, label %region.0.survey, label %region.0.survey.end

region.0.survey.end:
  %same = icmp eq i32 %17, %19
  br i1 %same, label %region.0.agreed, label %region.0.finish

region.0.agreed:
  switch i32 %17, label %exit.barrier [
    i32 1, label %barrier
  ]

region.0.finish:
  br label %region.0.mark

region.0.mark:
  %item.1 = phi i64 [ 0, %region.0.finish ], [ %30, %region.0.mark ]
  %24 = getelementptr inbounds i8, ptr %context, i64 0
  %25 = mul nuw nsw i64 %item.1, 4
  %26 = getelementptr inbounds i8, ptr %24, i64 %25
  %number.1 = load i32, ptr %26, align 4
  %astray = icmp ne i32 %number.1, %21
  %27 = zext i1 %astray to i8
  %28 = getelementptr inbounds i8, ptr %context, i64 512
  %29 = getelementptr inbounds i8, ptr %28, i64 %item.1
  store i8 %27, ptr %29, align 1
  %30 = add nuw nsw i64 %item.1, 1
  %31 = icmp ult i64 %30, 2
  br i1 %31, label %region.0.mark, label %region.0.mark.end

region.0.mark.end:
  switch i32 %21, label %exit.barrier [
    i32 1, label %barrier.rest
  ]

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %gid.x.2 = add nuw nsw i32 %2, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  store i32 50, ptr addrspace(1) %p.1, align 4, !llvm.access.group !5
  br label %end.1

end.1:
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %32 = icmp ult i32 %x.next.1, 2
  br i1 %32, label %region.1.x, label %region.1.end, !llvm.loop !9

region.1.end:
  br label %exit.barrier

rest.1.pre:
  br label %rest.1.x

rest.1.x:
  %x.2 = phi i32 [ 0, %rest.1.pre ], [ %x.next.2, %rest.1.x.latch ]
  %gid.x.4 = add nuw nsw i32 %2, %x.2, !weft.id_bits !{i32 29}
  %gid.x.5 = zext nneg i32 %gid.x.4 to i64
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.5
  %lid.x.1 = zext nneg i32 %x.2 to i64
  %33 = getelementptr inbounds i8, ptr %context, i64 512
  %34 = getelementptr inbounds i8, ptr %33, i64 %lid.x.1
  %mark = load i8, ptr %34, align 1
  %finished = icmp ne i8 %mark, 0
  br i1 %finished, label %rest.1.x.latch, label %after.1

after.1:
  store i32 50, ptr addrspace(1) %p.2, align 4, !llvm.access.group !10
  br label %end.2

end.2:
  br label %rest.1.x.latch

rest.1.x.latch:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %35 = icmp ult i32 %x.next.2, 2
  br i1 %35, label %rest.1.x, label %rest.1.end, !llvm.loop !14

rest.1.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"llvm.loop.unroll.full"}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{}
!6 = !{!"llvm.loop.parallel_accesses", !5}
!7 = !{!"llvm.loop.mustprogress"}
!8 = !{!"llvm.loop.unroll.full"}
!9 = distinct !{!9, !6, !7, !8}
!10 = distinct !{}
!11 = !{!"llvm.loop.parallel_accesses", !10}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"llvm.loop.vectorize.enable", i1 false}
!14 = distinct !{!14, !11, !12, !13}
