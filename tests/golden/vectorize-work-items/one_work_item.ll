; A work-group of one work-item has no loop over work-items.
;! shows: leaves alone
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 1 --remarks vectorize-work-items
;! launch: 4 / 1
;! arg a: arange(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %start = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi i32 [ %start, %entry ], [ %s.next, %loop ]
  %s.next = mul i32 %s, 3
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  %r = phi i32 [ %s.next, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 2147483648) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %0, align 8
  %base.x = add i64 %group.x, %offset.x
  %1 = trunc i64 %base.x to i32, !weft.id_bits !{i32 29}
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.item

region.0.item:
  %gid.x = zext nneg i32 %1 to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x
  %start = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %s = phi i32 [ %start, %entry.1 ], [ %s.next, %loop ]
  %s.next = mul i32 %s, 3
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  %r = phi i32 [ %s.next, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.end

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
