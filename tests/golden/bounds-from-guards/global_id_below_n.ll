; `if (get_global_id(0) < n)`: groups that lie wholly inside have a loop of their own.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 24 / 8
;! arg a: zeros(24, int32)
;! arg n: int32(13)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %g to i32
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
  %n = load i32, ptr %0, align 4
  %1 = mul i64 %group.x, 8
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %gid.x = zext nneg i32 %3 to i64
  %i = trunc i64 %gid.x to i32
  %4 = icmp slt i32 %i, %n
  %5 = sub i32 %n, %i
  %6 = select i1 %4, i32 %5, i32 0
  %7 = icmp ult i32 %6, 8
  %8 = select i1 %7, i32 %6, i32 8
  %9 = icmp ult i32 0, %8
  br i1 %9, label %region.0.x.pre, label %region.0.end

region.0.x.pre:
  %all = icmp eq i32 %8, 8
  br i1 %all, label %region.0.x.all.pre, label %region.0.x.partial.pre

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 0, %region.0.x.all.pre ]
  %gid.x.1 = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.2 = zext nneg i32 %gid.x.1 to i64
  br label %entry.1

entry.1:
  %i.1 = trunc i64 %gid.x.2 to i32
  br label %then

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.2
  store i32 %i.1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %10 = icmp ult i32 %x.next, 8
  br i1 %10, label %region.0.x, label %region.0.end, !llvm.loop !7

region.0.end:
  br label %exit.barrier

region.0.x.partial:
  %x.1 = phi i32 [ %x.next.1, %region.0.x.latch.partial ], [ 0, %region.0.x.partial.pre ]
  %gid.x.3 = add nuw nsw i32 %3, %x.1, !weft.id_bits !{i32 29}
  %gid.x.4 = zext nneg i32 %gid.x.3 to i64
  br label %entry.partial

entry.partial:
  %i.2 = trunc i64 %gid.x.4 to i32
  br label %then.partial

then.partial:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.4
  store i32 %i.2, ptr addrspace(1) %p.1, align 4, !llvm.access.group !0
  br label %exit.partial

exit.partial:
  br label %region.0.x.latch.partial

region.0.x.latch.partial:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %11 = icmp ult i32 %x.next.1, %8
  br i1 %11, label %region.0.x.partial, label %region.0.end, !llvm.loop !8

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
!6 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!7 = distinct !{!7, !1, !2, !3, !4, !6}
!8 = distinct !{!8, !1, !2, !3, !4, !6}
