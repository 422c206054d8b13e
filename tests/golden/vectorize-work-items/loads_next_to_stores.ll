; Every other work-item stores between two elements that it loads: LLVM, which gets the loop, has to interleave.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 40,1,1 --remarks vectorize-work-items
;! launch: 80 / 40
;! arg a: arange(82, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %odd = and i64 %i, 1
  %skip = icmp eq i64 %odd, 0
  br i1 %skip, label %exit, label %update

update:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  %w = load i32, ptr addrspace(1) %q, align 4
  %sum = add i32 %v, %w
  %r = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 %sum, ptr addrspace(1) %r, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 53687091) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 40
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %odd = and i64 %gid.x.1, 1
  %skip = icmp eq i64 %odd, 0
  br i1 %skip, label %exit, label %update

exit:
  br label %region.0.x.latch

update:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  %w = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %sum = add i32 %v, %w
  %r = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 %sum, ptr addrspace(1) %r, align 4, !llvm.access.group !0
  br label %exit

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %3 = icmp ult i32 %x.next, 40
  br i1 %3, label %region.0.x, label %region.0.end, !llvm.loop !7

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.interleave.count", i32 4}
!7 = distinct !{!7, !1, !2, !3, !4, !6}
; missed: vectorize-work-items: @k: Interleaved: it has no inner loops; interleaved, because vector loads would wait for vector stores
