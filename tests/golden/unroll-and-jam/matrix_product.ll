; Four rows of a matrix product load each element of the second matrix once.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,unroll-and-jam,place-implicit-barriers,work-group-function,keep-only --local-size 8,4 --remarks unroll-and-jam
;! launch: 8,8 / 8,4
;! arg a: arange(80, dtype=int32)
;! arg b: arange(80, dtype=int32)
;! arg c: zeros(80, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %row = mul nsw i32 %y, 5
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %i = add nsw i32 %row, %k
  %i64 = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i64
  %l = load i32, ptr addrspace(1) %p, align 4
  %up = shl nsw i32 %k, 3
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %l, %m
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 5
  br i1 %more, label %loop, label %done

done:
  %sum.lcssa = phi i32 [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %sum.lcssa, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 536870912) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %c = load ptr addrspace(1), ptr %1, align 8
  %2 = mul i64 %group.y, 4
  %3 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %3, align 8
  %base.y = add i64 %2, %offset.y
  %4 = trunc i64 %base.y to i32, !weft.id_bits !{i32 29}
  %5 = mul i64 %group.x, 8
  %6 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %6, align 8
  %base.x = add i64 %5, %offset.x
  %7 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.y = zext nneg i32 %4 to i64
  %gid.x = add nuw nsw i32 %7, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %y64 = add nuw nsw i64 %gid.y, 3
  %y64.1 = add nuw nsw i64 %gid.y, 2
  %y64.2 = add nuw nsw i64 %gid.y, 1
  %x.1 = trunc i64 %gid.x.1 to i32
  %y = trunc i64 %gid.y to i32
  %y.1 = trunc i64 %y64.2 to i32
  %y.2 = trunc i64 %y64.1 to i32
  %y.3 = trunc i64 %y64 to i32
  %row = mul nsw i32 %y, 5
  %row.1 = mul nsw i32 %y.1, 5
  %row.2 = mul nsw i32 %y.2, 5
  %row.3 = mul nsw i32 %y.3, 5
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry.1 ], [ %sum.next, %loop ]
  %sum.1 = phi i32 [ 0, %entry.1 ], [ %sum.next.1, %loop ]
  %sum.2 = phi i32 [ 0, %entry.1 ], [ %sum.next.2, %loop ]
  %sum.3 = phi i32 [ 0, %entry.1 ], [ %sum.next.3, %loop ]
  %i = add nsw i32 %row, %k
  %i.1 = add nsw i32 %row.1, %k
  %i.2 = add nsw i32 %row.2, %k
  %i.3 = add nsw i32 %row.3, %k
  %i64 = sext i32 %i to i64
  %i64.1 = sext i32 %i.1 to i64
  %i64.2 = sext i32 %i.2 to i64
  %i64.3 = sext i32 %i.3 to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %i64.1
  %p.2 = getelementptr i32, ptr addrspace(1) %a, i64 %i64.2
  %p.3 = getelementptr i32, ptr addrspace(1) %a, i64 %i64.3
  %l = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %l.1 = load i32, ptr addrspace(1) %p.1, align 4, !llvm.access.group !0
  %l.2 = load i32, ptr addrspace(1) %p.2, align 4, !llvm.access.group !0
  %l.3 = load i32, ptr addrspace(1) %p.3, align 4, !llvm.access.group !0
  %up = shl nsw i32 %k, 3
  %j = add nsw i32 %up, %x.1
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %product = mul i32 %l, %m
  %product.1 = mul i32 %l.1, %m
  %product.2 = mul i32 %l.2, %m
  %product.3 = mul i32 %l.3, %m
  %sum.next = add i32 %sum, %product
  %sum.next.1 = add i32 %sum.1, %product.1
  %sum.next.2 = add i32 %sum.2, %product.2
  %sum.next.3 = add i32 %sum.3, %product.3
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 5
  br i1 %more, label %loop, label %done

done:
  %sum.lcssa = phi i32 [ %sum.next, %loop ]
  %sum.lcssa.1 = phi i32 [ %sum.next.1, %loop ]
  %sum.lcssa.2 = phi i32 [ %sum.next.2, %loop ]
  %sum.lcssa.3 = phi i32 [ %sum.next.3, %loop ]
  %line = shl nsw i32 %y, 3
  %line.1 = shl nsw i32 %y.1, 3
  %line.2 = shl nsw i32 %y.2, 3
  %line.3 = shl nsw i32 %y.3, 3
  %to = add nsw i32 %line, %x.1
  %to.1 = add nsw i32 %line.1, %x.1
  %to.2 = add nsw i32 %line.2, %x.1
  %to.3 = add nsw i32 %line.3, %x.1
  %to64 = sext i32 %to to i64
  %to64.1 = sext i32 %to.1 to i64
  %to64.2 = sext i32 %to.2 to i64
  %to64.3 = sext i32 %to.3 to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  %r.1 = getelementptr i32, ptr addrspace(1) %c, i64 %to64.1
  %r.2 = getelementptr i32, ptr addrspace(1) %c, i64 %to64.2
  %r.3 = getelementptr i32, ptr addrspace(1) %c, i64 %to64.3
  store i32 %sum.lcssa, ptr addrspace(1) %r, align 4, !llvm.access.group !0
  store i32 %sum.lcssa.1, ptr addrspace(1) %r.1, align 4, !llvm.access.group !0
  store i32 %sum.lcssa.2, ptr addrspace(1) %r.2, align 4, !llvm.access.group !0
  store i32 %sum.lcssa.3, ptr addrspace(1) %r.3, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %8 = icmp ult i32 %x.next, 8
  br i1 %8, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: unroll-and-jam: @k: Jammed: 4 work-items along y are jammed: they load the same data
