; A divergent branch between ways that share a barrier stays inside its region, which notes the one reached.
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

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %positive.uniform = alloca i1, align 1
  %large.uniform = alloca i1, align 1
  %0 = mul i64 %group.x, 2
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

decide:
  %positive = load i1, ptr %positive.uniform, align 1
  br i1 %positive, label %region.1.pre, label %region.2.pre

decide.1:
  %large = load i1, ptr %large.uniform, align 1
  br i1 %large, label %region.3.pre, label %region.4.pre

exit.barrier:
  ret void

barrier:
  br label %region.5.pre

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %2, %x
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %lid.x = zext nneg i32 %x to i64
  %3 = getelementptr inbounds i8, ptr %context, i64 0
  %4 = mul nuw nsw i64 %lid.x, 4
  %v.slot = getelementptr inbounds i8, ptr %3, i64 %4
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  store i32 %v, ptr %v.slot, align 4, !llvm.access.group !0
  %positive.1 = icmp sgt i32 %v, 0
  store i1 %positive.1, ptr %positive.uniform, align 1
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %5 = icmp ult i32 %x.next, 2
  br i1 %5, label %region.0.x, label %region.0.end, !llvm.loop !4

region.0.end:
  br label %decide

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = mul nuw nsw i64 %lid.x.1, 4
  %v.slot.1 = getelementptr inbounds i8, ptr %6, i64 %7
  %v.1 = load i32, ptr %v.slot.1, align 4, !llvm.access.group !5
  br label %way

way:
  br label %first

first:
  %large.1 = icmp sgt i32 %v.1, 100
  store i1 %large.1, ptr %large.uniform, align 1
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %8 = icmp ult i32 %x.next.1, 2
  br i1 %8, label %region.1.x, label %region.1.end, !llvm.loop !9

region.1.end:
  br label %decide.1

region.2.pre:
  br label %region.2.x

region.2.x:
  %x.2 = phi i32 [ 0, %region.2.pre ], [ %x.next.2, %region.2.x.latch ]
  br label %way.1

way.1:
  br label %end

end:
  br label %region.2.x.latch

region.2.x.latch:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %9 = icmp ult i32 %x.next.2, 2
  br i1 %9, label %region.2.x, label %region.2.end, !llvm.loop !14

region.2.end:
  br label %exit.barrier

region.3.pre:
  br label %region.3.x

region.3.x:
  %x.3 = phi i32 [ 0, %region.3.pre ], [ %x.next.3, %region.3.x.latch ]
  br label %way.2

way.2:
  br label %end.1

end.1:
  br label %region.3.x.latch

region.3.x.latch:
  %x.next.3 = add nuw nsw i32 %x.3, 1
  %10 = icmp ult i32 %x.next.3, 2
  br i1 %10, label %region.3.x, label %region.3.end, !llvm.loop !19

region.3.end:
  br label %exit.barrier

region.4.pre:
  br label %region.4.x

region.4.x:
  %x.4 = phi i32 [ 0, %region.4.pre ], [ %x.next.4, %region.4.x.latch ]
  br label %way.3

way.3:
  br label %then

then:
  br label %region.4.x.latch

region.4.x.latch:
  %x.next.4 = add nuw nsw i32 %x.4, 1
  %11 = icmp ult i32 %x.next.4, 2
  br i1 %11, label %region.4.x, label %region.4.end, !llvm.loop !24

region.4.end:
  br label %barrier

region.5.pre:
  br label %region.5.x

region.5.x:
  %x.5 = phi i32 [ 0, %region.5.pre ], [ %x.next.5, %region.5.x.latch ]
  %gid.x.2 = add nuw nsw i32 %2, %x.5
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  store i32 50, ptr addrspace(1) %p.1, align 4, !llvm.access.group !25
  br label %end.2

end.2:
  br label %region.5.x.latch

region.5.x.latch:
  %x.next.5 = add nuw nsw i32 %x.5, 1
  %12 = icmp ult i32 %x.next.5, 2
  br i1 %12, label %region.5.x, label %region.5.end, !llvm.loop !29

region.5.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"llvm.loop.unroll.disable"}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{}
!6 = !{!"llvm.loop.parallel_accesses", !5}
!7 = !{!"llvm.loop.mustprogress"}
!8 = !{!"llvm.loop.unroll.disable"}
!9 = distinct !{!9, !6, !7, !8}
!10 = distinct !{}
!11 = !{!"llvm.loop.parallel_accesses", !10}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"llvm.loop.unroll.disable"}
!14 = distinct !{!14, !11, !12, !13}
!15 = distinct !{}
!16 = !{!"llvm.loop.parallel_accesses", !15}
!17 = !{!"llvm.loop.mustprogress"}
!18 = !{!"llvm.loop.unroll.disable"}
!19 = distinct !{!19, !16, !17, !18}
!20 = distinct !{}
!21 = !{!"llvm.loop.parallel_accesses", !20}
!22 = !{!"llvm.loop.mustprogress"}
!23 = !{!"llvm.loop.unroll.disable"}
!24 = distinct !{!24, !21, !22, !23}
!25 = distinct !{}
!26 = !{!"llvm.loop.parallel_accesses", !25}
!27 = !{!"llvm.loop.mustprogress"}
!28 = !{!"llvm.loop.unroll.disable"}
!29 = distinct !{!29, !26, !27, !28}
