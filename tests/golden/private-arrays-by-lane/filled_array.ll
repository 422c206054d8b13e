; Each of eight lanes gets an address of its own. Elements stay dense until a loop runs in lanes. The fill becomes stores.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane --remarks private-arrays-by-lane
;! launch: 8 / 8
;! arg a: arange(8, dtype=int32)
;! arg n: 5
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %h = alloca [3 x i32], align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  call void @llvm.memset.p0.i64(ptr %h, i8 0, i64 12, i1 false)
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %s = add i32 %v, %k
  %e = urem i32 %s, 3
  %q = getelementptr [3 x i32], ptr %h, i64 0, i32 %e
  %o = load i32, ptr %q, align 4
  %m = add i32 %o, %k
  store i32 %m, ptr %q, align 4
  %k.next = add i32 %k, 1
  br label %header

exit:
  %last = getelementptr i8, ptr %h, i64 8
  %r = load i32, ptr %last, align 4
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
; ---- expected

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
  %h = alloca [3 x i32], align 64
  %1 = getelementptr inbounds i8, ptr %launch, i64 48
  %local_size.x = load i64, ptr %1, align 8
  %2 = trunc i64 %local_size.x to i32
  %3 = getelementptr inbounds i8, ptr %launch, i64 56
  %local_size.y = load i64, ptr %3, align 8
  %4 = trunc i64 %local_size.y to i32
  %5 = getelementptr inbounds i8, ptr %launch, i64 64
  %local_size.z = load i64, ptr %5, align 8
  %6 = trunc i64 %local_size.z to i32
  %7 = mul i64 %group.x, %local_size.x
  %8 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %8, align 8
  %base.x = add i64 %7, %offset.x
  %9 = trunc i64 %base.x to i32
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
  %10 = getelementptr [4 x i8], ptr %h, i32 %lane
  %gid.x = add nuw nsw i32 %9, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  store i32 0, ptr %10, align 4, !llvm.access.group !13
  %11 = getelementptr [4 x i8], ptr %10, i32 1
  store i32 0, ptr %11, align 4, !llvm.access.group !13
  %12 = getelementptr [4 x i8], ptr %10, i32 2
  store i32 0, ptr %12, align 4, !llvm.access.group !13
  br label %header

header:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %s = add i32 %v, %k
  %e = urem i32 %s, 3
  %q = getelementptr [4 x i8], ptr %10, i32 %e
  %o = load i32, ptr %q, align 4, !llvm.access.group !13
  %m = add i32 %o, %k
  store i32 %m, ptr %q, align 4, !llvm.access.group !13
  %k.next = add i32 %k, 1
  br label %header

exit:
  %last = getelementptr [1 x i8], ptr %10, i64 8
  %r = load i32, ptr %last, align 4, !llvm.access.group !13
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %13 = icmp ult i32 %x.next, %2
  br i1 %13, label %region.0.x, label %region.0.y.latch, !llvm.loop !4

region.0.y.latch:
  %y.next = add nuw nsw i32 %y, 1
  %14 = icmp ult i32 %y.next, %4
  br i1 %14, label %region.0.y, label %region.0.z.latch, !llvm.loop !8

region.0.z.latch:
  %z.next = add nuw nsw i32 %z, 1
  %15 = icmp ult i32 %z.next, %6
  br i1 %15, label %region.0.z, label %region.0.end, !llvm.loop !12

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
; passed: private-arrays-by-lane: @k: ByLane: a private array of 12 bytes has a column for each of 8 lanes
