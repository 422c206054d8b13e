; `(uint)(get_global_id(0) + begin) < n` may be how a program tests both ends of a range: the guard stays.
;! shows: leaves alone
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1
;! launch: 24 / 8
;! arg a: zeros(24, int32)
;! arg begin: int32(-4)
;! arg n: int32(13)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %begin, i32 %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)
  %t = trunc i64 %g to i32
  %i = add i32 %t, %begin
  %c = icmp ult i32 %i, %n
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
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %t = trunc i64 %gid.x.1 to i32
  %i = add i32 %t, %begin
  %c = icmp ult i32 %i, %n
  br i1 %c, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  store i32 %i, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %5 = icmp ult i32 %x.next, 8
  br i1 %5, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
