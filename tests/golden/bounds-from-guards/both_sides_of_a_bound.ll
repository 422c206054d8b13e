; `if (i < n) a[i] = 1; else b[i] = a[i];`: each side of the branch gets a loop over its range of work-items.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 64,1,1
;! launch: 128 / 64
;! arg a: zeros(128, int32)
;! arg b: arange(128, dtype=int32)
;! arg n: 71
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %g to i32
  %c = icmp slt i32 %i, %n
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %g
  br i1 %c, label %then, label %else

then:
  store i32 1, ptr addrspace(1) %p, align 4
  br label %exit

else:
  %v = load i32, ptr addrspace(1) %q, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  store i32 0, ptr addrspace(1) %q, align 4
  br label %exit

exit:
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
  %5 = icmp slt i32 %i, %n
  %6 = sub i32 %n, %i
  %7 = select i1 %5, i32 %6, i32 0
  %8 = icmp ult i32 %7, 64
  %9 = select i1 %8, i32 %7, i32 64
  %10 = icmp ult i32 0, %9
  br i1 %10, label %region.0.x.pre, label %region.0.x.split1.pre

region.0.x.pre:
  %all = icmp eq i32 %9, 64
  br i1 %all, label %region.0.x.all.pre, label %region.0.x.partial.pre

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 0, %region.0.x.all.pre ]
  %gid.x.1 = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.2 = zext nneg i32 %gid.x.1 to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.2
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.2
  br label %then

then:
  store i32 1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %11 = icmp ult i32 %x.next, 64
  br i1 %11, label %region.0.x, label %region.0.x.split1.pre, !llvm.loop !8

region.0.end:
  br label %exit.barrier

region.0.x.split1:
  %x.1 = phi i32 [ %x.next.1, %region.0.x.latch.split1 ], [ %17, %region.0.x.split1.pre.1 ]
  %gid.x.3 = add nuw nsw i32 %4, %x.1, !weft.id_bits !{i32 29}
  %gid.x.4 = zext nneg i32 %gid.x.3 to i64
  br label %entry.split1

entry.split1:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.4
  %q.1 = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.4
  br label %else.split1

else.split1:
  %v = load i32, ptr addrspace(1) %q.1, align 4, !llvm.access.group !0
  store i32 %v, ptr addrspace(1) %p.1, align 4, !llvm.access.group !0
  store i32 0, ptr addrspace(1) %q.1, align 4, !llvm.access.group !0
  br label %exit.split1

exit.split1:
  br label %region.0.x.latch.split1

region.0.x.latch.split1:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %12 = icmp ult i32 %x.next.1, 64
  br i1 %12, label %region.0.x.split1, label %region.0.end, !llvm.loop !10

region.0.x.split1.pre:
  %gid.x.5 = zext nneg i32 %4 to i64
  %i.1 = trunc i64 %gid.x.5 to i32
  %13 = icmp slt i32 %i.1, %n
  %14 = sub i32 %n, %i.1
  %15 = select i1 %13, i32 %14, i32 0
  %16 = icmp ult i32 %15, 64
  %17 = select i1 %16, i32 %15, i32 64
  %18 = icmp ult i32 %17, 64
  br i1 %18, label %region.0.x.split1.pre.1, label %region.0.end

region.0.x.split1.pre.1:
  br label %region.0.x.split1

region.0.x.partial:
  %x.2 = phi i32 [ %x.next.2, %region.0.x.latch.partial ], [ 0, %region.0.x.partial.pre ]
  %gid.x.6 = add nuw nsw i32 %4, %x.2, !weft.id_bits !{i32 29}
  %gid.x.7 = zext nneg i32 %gid.x.6 to i64
  br label %entry.partial

entry.partial:
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.7
  %q.2 = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.7
  br label %then.partial

then.partial:
  store i32 1, ptr addrspace(1) %p.2, align 4, !llvm.access.group !0
  br label %exit.partial

exit.partial:
  br label %region.0.x.latch.partial

region.0.x.latch.partial:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %19 = icmp ult i32 %x.next.2, %9
  br i1 %19, label %region.0.x.partial, label %region.0.x.split1.pre, !llvm.loop !11

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
!7 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!8 = distinct !{!8, !1, !2, !3, !4, !7}
!9 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!10 = distinct !{!10, !1, !2, !3, !4, !9}
!11 = distinct !{!11, !1, !2, !3, !4, !7}
