; An access to memory of lanes or to other private memory: work-items still run sequentially.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %s = alloca i32, align 4
  %t = alloca i32, align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %n = load i32, ptr addrspace(1) %p, align 4
  %c = icmp sgt i32 %n, 3
  %chosen = select i1 %c, ptr %s, ptr %t
  call void @weft.function.f(ptr %s)
  store i32 %n, ptr %chosen, align 4
  %v = load i32, ptr %s, align 4
  store i32 %v, ptr %t, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @weft.function.f(ptr)
; ---- expected

declare void @weft.function.f(ptr)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %s = alloca [32 x i8], align 64
  %t = alloca i32, align 4
  %0 = getelementptr inbounds i8, ptr %launch, i64 48
  %local_size.x = load i64, ptr %0, align 8
  %1 = trunc i64 %local_size.x to i32
  %2 = getelementptr inbounds i8, ptr %launch, i64 56
  %local_size.y = load i64, ptr %2, align 8
  %3 = trunc i64 %local_size.y to i32
  %4 = getelementptr inbounds i8, ptr %launch, i64 64
  %local_size.z = load i64, ptr %4, align 8
  %5 = trunc i64 %local_size.z to i32
  %6 = mul i64 %group.x, %local_size.x
  %7 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %7, align 8
  %base.x = add i64 %6, %offset.x
  %8 = trunc i64 %base.x to i32
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
  %lane = add i32 0, 0, !weft.lane !14
  %9 = getelementptr [4 x i8], ptr %s, i32 %lane
  %gid.x = add nuw nsw i32 %8, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %n = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %c = icmp sgt i32 %n, 3
  %chosen = select i1 %c, ptr %9, ptr %t
  call void @weft.function.f(ptr %9), !llvm.access.group !13
  store i32 %n, ptr %chosen, align 4
  %v = load i32, ptr %9, align 4, !llvm.access.group !13
  store i32 %v, ptr %t, align 4
  store i32 %v, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %10 = icmp ult i32 %x.next, %1
  br i1 %10, label %region.0.x, label %region.0.y.latch, !llvm.loop !4

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %11 = icmp ult i32 %y.next, %3
  br i1 %11, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %12 = icmp ult i32 %z.next, %5
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
!13 = distinct !{}
!14 = !{}
