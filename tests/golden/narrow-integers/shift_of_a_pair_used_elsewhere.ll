; A shift to the left is one half of a sign extension, and is used by others too: by one that becomes narrow, by one that
; asks for all of it. The first half of another extension, with no other use, goes.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,narrow-integers --local-size 4
;! launch: 8 / 4
;! arg a: arange(8, dtype=int16) * 4321
;! arg b: zeros(8, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %id
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %id
  %start = load i16, ptr addrspace(1) %p, align 2
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi i16 [ %start, %entry ], [ %x.next, %loop ]
  %wide = zext i16 %x to i32
  %square = mul i32 %wide, %wide
  %more = add i32 %square, %wide
  %half = shl i32 %more, 18
  %back = ashr i32 %half, 20
  %mixed = xor i32 %half, %square
  %sum = add i32 %back, %mixed
  %left = shl i32 %square, 16
  %signed = ashr i32 %left, 16
  %both = sub i32 %sum, %signed
  %x.next = trunc i32 %both to i16
  store i32 %half, ptr addrspace(1) %q, align 4
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
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
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
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %gid.x.1
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %gid.x.1
  %start = load i16, ptr addrspace(1) %p, align 2, !llvm.access.group !0
  br label %loop

loop:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %loop ]
  %x.1 = phi i16 [ %start, %entry.1 ], [ %12, %loop ]
  %4 = mul i16 %x.1, %x.1
  %5 = add i16 %4, %x.1
  %6 = zext i16 %5 to i32
  %half = shl i32 %6, 18
  %7 = shl i16 %5, 2
  %8 = ashr i16 %7, 4
  %9 = trunc i32 %half to i16
  %10 = xor i16 %9, %4
  %11 = add i16 %8, %10
  %12 = sub i16 %11, %4
  store i32 %half, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  store i16 %12, ptr addrspace(1) %p, align 2, !llvm.access.group !0
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %13 = icmp ult i32 %x.next, 4
  br i1 %13, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
