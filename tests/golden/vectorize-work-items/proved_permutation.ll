; Neighbours change places, whatever the inputs: a vector load and a shuffle, once it is tested that blocks of eight
; lanes begin at even numbers.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 24,1,1
;! launch: 48 / 24
;! arg a: arange(48, dtype=int32)
;! arg b: zeros(48, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %other = xor i32 %i, 1
  %place = zext i32 %other to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %id
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 89478485) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 24
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
  %4 = and i64 %offset.x, 1
  %5 = icmp eq i64 %4, 0
  br i1 %5, label %region.0.x.simd, label %simd.else

region.0.x:
  %x = phi i32 [ 0, %simd.else ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %i = trunc i64 %gid.x.1 to i32
  %other = xor i32 %i, 1
  %place = zext i32 %other to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %gid.x.1
  store i32 %v, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %6 = icmp ult i32 %x.next, 24
  br i1 %6, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %gid.x.2 = add nuw nsw i32 %3, %lane.0
  %7 = sext i32 %3 to i64
  %8 = sext i32 %lane.0 to i64
  %9 = add i64 %7, %8
  br label %entry.simd

entry.simd:
  %i.1 = trunc i64 %9 to i32
  %other.1 = xor i32 %i.1, 1
  %place.1 = zext i32 %other.1 to i64
  %p.1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.1
  %10 = getelementptr inbounds i8, ptr addrspace(1) %p.1, i64 -4
  %v.1 = load <8 x i32>, ptr addrspace(1) %10, align 4
  %11 = shufflevector <8 x i32> %v.1, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %q.1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %9
  store <8 x i32> %11, ptr addrspace(1) %q.1, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %12 = icmp ult i32 %lane.next, 24
  br i1 %12, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

simd.remainder:
  br label %region.0.end

simd.else:
  br label %region.0.x
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
