; A sum of two ids may have more than 32 bits: taken modulo 2**32 it is another number.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,drop-masks --local-size 4 --id-bits 64 --remarks drop-masks
;! launch: 8 / 4
;! arg a: arange(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %sum = add i64 %id, %id
  %i = and i64 %sum, 4294967295
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 %group.x, i64 %group.y, i64 %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 4
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %lid.x = zext nneg i32 %x to i64
  %gid.x = add i64 %base.x, %lid.x
  br label %entry.1

entry.1:
  %sum = add i64 %gid.x, %gid.x
  %i = and i64 %sum, 4294967295
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %2 = icmp ult i32 %x.next, 4
  br i1 %2, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; missed: drop-masks: @k: HighBits: a value that is reduced modulo 2**32 may be larger
