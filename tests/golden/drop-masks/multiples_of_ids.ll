; Multiples of ids as indices of int and unsigned type cannot wrap, nor do sums that stay below 2**31.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,drop-masks --local-size 4 --remarks drop-masks
;! launch: 8 / 4
;! arg a: arange(40, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %up = mul i64 %id, 12884901888
  %here = ashr exact i64 %up, 30
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %here
  %more = add i64 %up, 4294967296
  %there = ashr exact i64 %more, 32
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %there
  %v = load i32, ptr addrspace(1) %q, align 4
  %low = trunc i64 %id to i32
  %two = shl i32 %low, 1
  %odd = or disjoint i32 %two, 1
  %next = add i32 %two, 2
  %less = add i32 %two, -1
  %three = mul i64 %id, 3
  %cut = and i64 %three, 4294967295
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %cut
  %s = add i32 %odd, %next
  %t = add i32 %s, %less
  %u = add i32 %t, %v
  store i32 %u, ptr addrspace(1) %r, align 4
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
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %up = mul nuw nsw i64 %gid.x.1, 12884901888
  %3 = mul nsw i64 %gid.x.1, 3
  %here = shl nsw i64 %3, 2
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %here
  %more = add nuw nsw i64 %up, 4294967296
  %4 = mul nsw i64 %gid.x.1, 3
  %5 = add nsw i64 %4, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %5
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %low = trunc i64 %gid.x.1 to i32
  %two = shl nuw nsw i32 %low, 1
  %odd = or disjoint i32 %two, 1
  %next = add nuw nsw i32 %two, 2
  %less = add nsw i32 %two, -1
  %three = mul nuw nsw i64 %gid.x.1, 3
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %three
  %s = add nuw nsw i32 %odd, %next
  %t = add i32 %s, %less
  %u = add i32 %t, %v
  store i32 %u, ptr addrspace(1) %r, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %6 = icmp ult i32 %x.next, 4
  br i1 %6, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: drop-masks: @k: Extended: redundant sign extension removed
; passed: drop-masks: @k: Extended: redundant sign extension removed
; passed: drop-masks: @k: Dropped: redundant bit mask removed
