; A division in the branch would have to run in each iteration: the branch stays.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,if-convert-stores --remarks if-convert-stores
;! launch: 4 / 4
;! arg edges: array([3, 1, 2, 0, 3, 2, 1, 0], dtype=int32)
;! arg marked: array([0, 1, 0, 1, 1, 0, 0, 1], dtype=int32)
;! arg cost: arange(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %edges, ptr addrspace(1) %marked, ptr addrspace(1) %cost) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %from = mul i64 %i, 2
  %to = add i64 %from, 2
  %own = getelementptr i32, ptr addrspace(1) %cost, i64 %i
  br label %loop

loop:
  %e = phi i64 [ %from, %entry ], [ %next, %latch ]
  %count = phi i32 [ 0, %entry ], [ %seen, %latch ]
  %edge = getelementptr i32, ptr addrspace(1) %edges, i64 %e
  %other = load i32, ptr addrspace(1) %edge, align 4
  %o = zext i32 %other to i64
  %at = getelementptr i32, ptr addrspace(1) %marked, i64 %o
  %m = load i32, ptr addrspace(1) %at, align 4
  %c = icmp eq i32 %m, 0
  br i1 %c, label %latch, label %then

then:
  %mine = load i32, ptr addrspace(1) %own, align 4
  %more = udiv i32 %mine, 3
  %place = getelementptr i32, ptr addrspace(1) %cost, i64 %o
  store i32 %more, ptr addrspace(1) %place, align 4
  %one = add i32 %count, 1
  br label %latch

latch:
  %seen = phi i32 [ %count, %loop ], [ %one, %then ]
  %next = add i64 %e, 1
  %again = icmp ult i64 %next, %to
  br i1 %again, label %loop, label %done

done:
  %all = phi i32 [ %seen, %latch ]
  %now = load i32, ptr addrspace(1) %own, align 4
  %sum = add i32 %now, %all
  store i32 %sum, ptr addrspace(1) %own, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %edges = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %marked = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %cost = load ptr addrspace(1), ptr %1, align 8
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
  %from = mul i64 %gid.x.1, 2
  %to = add i64 %from, 2
  %own = getelementptr i32, ptr addrspace(1) %cost, i64 %gid.x.1
  br label %loop

loop:
  %e = phi i64 [ %from, %entry.1 ], [ %next, %latch ]
  %count = phi i32 [ 0, %entry.1 ], [ %seen, %latch ]
  %edge = getelementptr i32, ptr addrspace(1) %edges, i64 %e
  %other = load i32, ptr addrspace(1) %edge, align 4, !llvm.access.group !0
  %o = zext i32 %other to i64
  %at = getelementptr i32, ptr addrspace(1) %marked, i64 %o
  %m = load i32, ptr addrspace(1) %at, align 4, !llvm.access.group !0
  %c = icmp eq i32 %m, 0
  br i1 %c, label %latch, label %then

latch:
  %seen = phi i32 [ %count, %loop ], [ %one, %then ]
  %next = add i64 %e, 1
  %again = icmp ult i64 %next, %to
  br i1 %again, label %loop, label %done

done:
  %all = phi i32 [ %seen, %latch ]
  %now = load i32, ptr addrspace(1) %own, align 4, !llvm.access.group !0
  %sum = add i32 %now, %all
  store i32 %sum, ptr addrspace(1) %own, align 4, !llvm.access.group !0
  br label %region.0.x.latch

then:
  %mine = load i32, ptr addrspace(1) %own, align 4, !llvm.access.group !0
  %more = udiv i32 %mine, 3
  %place = getelementptr i32, ptr addrspace(1) %cost, i64 %o
  store i32 %more, ptr addrspace(1) %place, align 4, !llvm.access.group !0
  %one = add i32 %count, 1
  br label %latch

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
; missed: if-convert-stores: @k: TooMuch: a branch around stores guards too many other instructions
