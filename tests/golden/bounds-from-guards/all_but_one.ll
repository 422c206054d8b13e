; `s = i == n ? 5 : a[i]` after common code: a loop for the one work-item, and loops for those before and after it.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 64,1,1
;! launch: 128 / 64
;! arg a: arange(128, dtype=int32)
;! arg b: zeros(128, int32)
;! arg n: 71
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %g to i32
  %c = icmp eq i32 %i, %n
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  br i1 %c, label %one, label %others

one:
  store i32 0, ptr addrspace(1) %p, align 4
  br label %both

others:
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %both

both:
  %s = phi i32 [ 5, %one ], [ %v, %others ]
  store i32 %s, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 33554432) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 64
  %3 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %3, align 8
  %base.x = add i64 %2, %offset.x
  %4 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %gid.x = zext nneg i32 %4 to i64
  %i = trunc i64 %gid.x to i32
  %5 = sub i32 %n, %i
  %6 = icmp ult i32 %5, 64
  %7 = select i1 %6, i32 %5, i32 0
  %8 = zext i1 %6 to i32
  %9 = add i32 %7, %8
  %10 = icmp ult i32 %7, %9
  br i1 %10, label %region.0.x.pre, label %region.0.x.split2.pre

region.0.x.pre:
  %11 = sub i32 %9, %7
  %all = icmp eq i32 %11, 64
  br i1 %all, label %region.0.x.all.pre, label %region.0.x.partial.pre

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 0, %region.0.x.all.pre ]
  %gid.x.1 = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.2 = zext nneg i32 %gid.x.1 to i64
  br label %entry.1

entry.1:
  %i.1 = trunc i64 %gid.x.2 to i32
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.2
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.2
  %12 = icmp slt i32 %i.1, %n
  %13 = icmp sgt i32 %i.1, %n
  br label %one

one:
  store i32 0, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %both

both:
  %s = phi i32 [ 5, %one ]
  store i32 %s, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %14 = icmp ult i32 %x.next, 64
  br i1 %14, label %region.0.x, label %region.0.x.split2.pre, !llvm.loop !9

region.0.end:
  br label %exit.barrier

region.0.x.split1:
  %x.1 = phi i32 [ %x.next.1, %region.0.x.latch.split1 ], [ 0, %region.0.x.split1.pre.1 ]
  %gid.x.3 = add nuw nsw i32 %4, %x.1, !weft.id_bits !{i32 29}
  %gid.x.4 = zext nneg i32 %gid.x.3 to i64
  br label %entry.split1

entry.split1:
  %i.2 = trunc i64 %gid.x.4 to i32
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.4
  %q.1 = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.4
  %15 = icmp sgt i32 %i.2, %n
  br label %others.split1

others.split1:
  %v = load i32, ptr addrspace(1) %p.1, align 4, !llvm.access.group !0
  br label %both.split1

both.split1:
  %s.1 = phi i32 [ %v, %others.split1 ]
  store i32 %s.1, ptr addrspace(1) %q.1, align 4, !llvm.access.group !0
  br label %region.0.x.latch.split1

region.0.x.latch.split1:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %16 = icmp ult i32 %x.next.1, %21
  br i1 %16, label %region.0.x.split1, label %region.0.end, !llvm.loop !13

region.0.x.split1.pre:
  %gid.x.5 = zext nneg i32 %4 to i64
  %i.3 = trunc i64 %gid.x.5 to i32
  %17 = icmp slt i32 %i.3, %n
  %18 = sub i32 %n, %i.3
  %19 = select i1 %17, i32 %18, i32 0
  %20 = icmp ult i32 %19, 64
  %21 = select i1 %20, i32 %19, i32 64
  %22 = icmp ult i32 0, %21
  br i1 %22, label %region.0.x.split1.pre.1, label %region.0.end

region.0.x.split1.pre.1:
  br label %region.0.x.split1

region.0.x.split2:
  %x.2 = phi i32 [ %x.next.2, %region.0.x.latch.split2 ], [ %30, %region.0.x.split2.pre.1 ]
  %gid.x.6 = add nuw nsw i32 %4, %x.2, !weft.id_bits !{i32 29}
  %gid.x.7 = zext nneg i32 %gid.x.6 to i64
  br label %entry.split2

entry.split2:
  %i.4 = trunc i64 %gid.x.7 to i32
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.7
  %q.2 = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.7
  %23 = icmp slt i32 %i.4, %n
  br label %others.split2

others.split2:
  %v.1 = load i32, ptr addrspace(1) %p.2, align 4, !llvm.access.group !0
  br label %both.split2

both.split2:
  %s.2 = phi i32 [ %v.1, %others.split2 ]
  store i32 %s.2, ptr addrspace(1) %q.2, align 4, !llvm.access.group !0
  br label %region.0.x.latch.split2

region.0.x.latch.split2:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %24 = icmp ult i32 %x.next.2, 64
  br i1 %24, label %region.0.x.split2, label %region.0.x.split1.pre, !llvm.loop !11

region.0.x.split2.pre:
  %gid.x.8 = zext nneg i32 %4 to i64
  %i.5 = trunc i64 %gid.x.8 to i32
  %25 = icmp sle i32 %i.5, %n
  %26 = sub i32 %n, %i.5
  %27 = icmp ult i32 %26, 64
  %28 = add i32 %26, 1
  %29 = select i1 %27, i32 %28, i32 64
  %30 = select i1 %25, i32 %29, i32 0
  %31 = icmp ult i32 %30, 64
  br i1 %31, label %region.0.x.split2.pre.1, label %region.0.x.split1.pre

region.0.x.split2.pre.1:
  br label %region.0.x.split2

region.0.x.partial:
  %x.3 = phi i32 [ %x.next.3, %region.0.x.latch.partial ], [ %7, %region.0.x.partial.pre ]
  %gid.x.9 = add nuw nsw i32 %4, %x.3, !weft.id_bits !{i32 29}
  %gid.x.10 = zext nneg i32 %gid.x.9 to i64
  br label %entry.partial

entry.partial:
  %i.6 = trunc i64 %gid.x.10 to i32
  %p.3 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.10
  %q.3 = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.10
  %32 = icmp slt i32 %i.6, %n
  %33 = icmp sgt i32 %i.6, %n
  br label %one.partial

one.partial:
  store i32 0, ptr addrspace(1) %p.3, align 4, !llvm.access.group !0
  br label %both.partial

both.partial:
  %s.3 = phi i32 [ 5, %one.partial ]
  store i32 %s.3, ptr addrspace(1) %q.3, align 4, !llvm.access.group !0
  br label %region.0.x.latch.partial

region.0.x.latch.partial:
  %x.next.3 = add nuw nsw i32 %x.3, 1
  %34 = icmp ult i32 %x.next.3, %9
  br i1 %34, label %region.0.x.partial, label %region.0.x.split2.pre, !llvm.loop !14

region.0.x.all.pre:
  br label %region.0.x

region.0.x.partial.pre:
  br label %region.0.x.partial
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{!6, !1, !2, !3, !4}
!7 = distinct !{!7, !1, !2, !3, !4}
!8 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!9 = distinct !{!9, !1, !2, !3, !4, !8}
!10 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!11 = distinct !{!11, !1, !2, !3, !4, !10}
!12 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!13 = distinct !{!13, !1, !2, !3, !4, !12}
!14 = distinct !{!14, !1, !2, !3, !4, !8}
