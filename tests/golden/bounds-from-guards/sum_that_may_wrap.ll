; `int i = get_global_id(0) + begin; if (i < n)`: where the sum wraps around, work-items run one by one.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 24 / 8
;! arg a: zeros(24, int32)
;! arg begin: int32(2147483647 - 11)
;! arg n: int32(2147483647 - 3)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %begin, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %t = trunc i64 %g to i32
  %i = add i32 %t, %begin
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  store i32 %i, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %begin = load i32, ptr %0, align 4
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 8
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
  %gid.x = zext i32 %4 to i64
  %t = trunc i64 %gid.x to i32
  %5 = sext i32 %t to i64
  %6 = sext i32 %begin to i64
  %7 = add i64 %5, %6
  %8 = add i64 %7, 2147483648
  %9 = icmp ult i64 %8, 4294967296
  %gid.x.1 = add i32 %4, 7
  %gid.x.2 = zext i32 %gid.x.1 to i64
  %t.1 = trunc i64 %gid.x.2 to i32
  %10 = sext i32 %t.1 to i64
  %11 = sext i32 %begin to i64
  %12 = add i64 %10, %11
  %13 = add i64 %12, 2147483648
  %14 = icmp ult i64 %13, 4294967296
  %15 = and i1 %9, %14
  br i1 %15, label %region.0.x.fits.pre, label %region.0.x.wrapping.pre

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 0, %region.0.x.all.pre ]
  %gid.x.3 = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.4 = zext nneg i32 %gid.x.3 to i64
  br label %entry.1

entry.1:
  %t.2 = trunc i64 %gid.x.4 to i32
  %i = add nsw i32 %t.2, %begin
  br label %then

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.4
  store i32 %i, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %16 = icmp ult i32 %x.next, 8
  br i1 %16, label %region.0.x, label %region.0.end, !llvm.loop !13

region.0.end:
  br label %exit.barrier

region.0.x.wrapping:
  %x.1 = phi i32 [ 0, %region.0.x.wrapping.pre ], [ %x.next.1, %region.0.x.latch.wrapping ]
  %gid.x.5 = add nuw nsw i32 %4, %x.1, !weft.id_bits !{i32 29}
  %gid.x.6 = zext nneg i32 %gid.x.5 to i64
  br label %entry.wrapping

entry.wrapping:
  %t.3 = trunc i64 %gid.x.6 to i32
  %i.1 = add i32 %t.3, %begin
  %c = icmp slt i32 %i.1, %n
  br i1 %c, label %then.wrapping, label %exit.wrapping

then.wrapping:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.6
  store i32 %i.1, ptr addrspace(1) %p.1, align 4, !llvm.access.group !0
  br label %exit.wrapping

exit.wrapping:
  br label %region.0.x.latch.wrapping

region.0.x.latch.wrapping:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %17 = icmp ult i32 %x.next.1, 8
  br i1 %17, label %region.0.x.wrapping, label %region.0.end, !llvm.loop !11

region.0.x.fits.pre:
  %gid.x.7 = zext nneg i32 %4 to i64
  %t.4 = trunc i64 %gid.x.7 to i32
  %i.2 = add nsw i32 %t.4, %begin
  %18 = icmp slt i32 %i.2, %n
  %19 = sub i32 %n, %i.2
  %20 = select i1 %18, i32 %19, i32 0
  %21 = icmp ult i32 %20, 8
  %22 = select i1 %21, i32 %20, i32 8
  %23 = icmp ult i32 0, %22
  br i1 %23, label %region.0.x.pre, label %region.0.end

region.0.x.pre:
  %all = icmp eq i32 %22, 8
  br i1 %all, label %region.0.x.all.pre, label %region.0.x.partial.pre

region.0.x.wrapping.pre:
  br label %region.0.x.wrapping

region.0.x.partial:
  %x.2 = phi i32 [ %x.next.2, %region.0.x.latch.partial ], [ 0, %region.0.x.partial.pre ]
  %gid.x.8 = add nuw nsw i32 %4, %x.2, !weft.id_bits !{i32 29}
  %gid.x.9 = zext nneg i32 %gid.x.8 to i64
  br label %entry.partial

entry.partial:
  %t.5 = trunc i64 %gid.x.9 to i32
  %i.3 = add nsw i32 %t.5, %begin
  br label %then.partial

then.partial:
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.9
  store i32 %i.3, ptr addrspace(1) %p.2, align 4, !llvm.access.group !0
  br label %exit.partial

exit.partial:
  br label %region.0.x.latch.partial

region.0.x.latch.partial:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %24 = icmp ult i32 %x.next.2, %22
  br i1 %24, label %region.0.x.partial, label %region.0.end, !llvm.loop !14

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
!7 = !{!"llvm.loop.parallel_accesses", !0}
!8 = !{!"llvm.loop.mustprogress"}
!9 = !{!"llvm.loop.vectorize.enable", i1 false}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !7, !8, !9, !10}
!12 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!13 = distinct !{!13, !1, !2, !3, !4, !12}
!14 = distinct !{!14, !1, !2, !3, !4, !12}
