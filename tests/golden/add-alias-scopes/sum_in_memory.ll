; A loop that adds up in one buffer what it reads from another: accesses get the scopes of their buffers.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,add-alias-scopes --local-size 4 --remarks add-alias-scopes
;! launch: 8 / 4
;! arg out: arange(8, dtype=int32)
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 4
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
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %gid.x.1
  br label %loop

loop:
  %k = phi i64 [ 0, %entry.1 ], [ %next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0, !noalias !11, !alias.scope !12
  %old = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0, !noalias !9, !alias.scope !10
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(1) %p, align 4, !llvm.access.group !0, !noalias !9, !alias.scope !10
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %4 = icmp ult i32 %x.next, 4
  br i1 %4, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{!6}
!7 = distinct !{!7, !6}
!8 = distinct !{!8, !6}
!9 = !{!8}
!10 = !{!7}
!11 = !{!7}
!12 = !{!8}
; passed: add-alias-scopes: @k: Added: accesses through 2 arguments have alias scopes: no other argument points to their memory
