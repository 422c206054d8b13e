; The upper half of a product is used, and a comparison uses all bits of a sum: both keep 32 bits.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,narrow-integers --local-size 4 --remarks narrow-integers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int16) * 4321
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %id
  %start = load i16, ptr addrspace(1) %p, align 2
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi i16 [ %start, %entry ], [ %x.next, %loop ]
  %wide = sext i16 %x to i32
  %square = mul nsw i32 %wide, %wide
  %upper = lshr i32 %square, 9
  %sum = add i32 %wide, %k
  %large = icmp sgt i32 %sum, 30000
  %one = select i1 %large, i32 %upper, i32 %sum
  %x.next = trunc i32 %one to i16
  store i16 %x.next, ptr addrspace(1) %p, align 2
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 4
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
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next.1, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %gid.x.1
  %start = load i16, ptr addrspace(1) %p, align 2, !llvm.access.group !0
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %x.1 = phi i16 [ %start, %entry.1 ], [ %x.next, %loop ]
  %wide = sext i16 %x.1 to i32
  %square = mul nsw i32 %wide, %wide
  %upper = lshr i32 %square, 9
  %sum = add i32 %wide, %k
  %large = icmp sgt i32 %sum, 30000
  %one = select i1 %large, i32 %upper, i32 %sum
  %x.next = trunc i32 %one to i16
  store i16 %x.next, ptr addrspace(1) %p, align 2, !llvm.access.group !0
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next.1 = add nuw nsw i32 %x, 1
  %3 = icmp ult i32 %x.next.1, 4
  br i1 %3, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; missed: narrow-integers: @k: MoreConversions: 16 bits would need more conversions than they save
