; Pairs at a distance that only the launch knows: consecutive for eight lanes if it is a multiple of eight, by pairs
; of lanes if it is a multiple of two. The general loop stays for other distances.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 24,1,1
;! launch: 48 / 24
;! arg a: arange(128, dtype=int32)
;! arg step: int32(6)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %step) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %rest = urem i32 %i, %step
  %pair = udiv i32 %i, %step
  %twice = shl i32 %step, 1
  %row = mul i32 %pair, %twice
  %left = add i32 %row, %rest
  %right = add i32 %left, %step
  %left.wide = zext i32 %left to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide
  %v = load i32, ptr addrspace(1) %p, align 4
  %right.wide = zext i32 %right to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide
  %w = load i32, ptr addrspace(1) %q, align 4
  %sum = add i32 %v, %w
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 89478485) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %step = load i32, ptr %0, align 4
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
  %4 = and i64 %offset.x, 7
  %5 = icmp eq i64 %4, 0
  %6 = and i32 %step, 7
  %7 = icmp eq i32 %6, 0
  %8 = and i1 %5, %7
  br i1 %8, label %region.0.x.simd, label %simd.else

region.0.x:
  %x = phi i32 [ 0, %simd.else.1 ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %i = trunc i64 %gid.x.1 to i32
  %rest = urem i32 %i, %step
  %pair = udiv i32 %i, %step
  %twice = shl i32 %step, 1
  %row = mul i32 %pair, %twice
  %left = add i32 %row, %rest
  %right = add i32 %left, %step
  %left.wide = zext i32 %left to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %right.wide = zext i32 %right to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide
  %w = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %sum = add i32 %v, %w
  store i32 %sum, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %9 = icmp ult i32 %x.next, 24
  br i1 %9, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %gid.x.2 = add nuw nsw i32 %3, %lane.0
  %10 = sext i32 %3 to i64
  %11 = sext i32 %lane.0 to i64
  %12 = add i64 %10, %11
  br label %entry.simd

entry.simd:
  %i.1 = trunc i64 %12 to i32
  %twice.1 = shl i32 %step, 1
  %pair.1 = udiv i32 %i.1, %step
  %row.1 = mul i32 %pair.1, %twice.1
  %rest.1 = urem i32 %i.1, %step
  %left.1 = add i32 %row.1, %rest.1
  %left.wide.1 = zext i32 %left.1 to i64
  %p.1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide.1
  %v.1 = load <8 x i32>, ptr addrspace(1) %p.1, align 4
  %right.1 = add i32 %left.1, %step
  %right.wide.1 = zext i32 %right.1 to i64
  %q.1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide.1
  %w.1 = load <8 x i32>, ptr addrspace(1) %q.1, align 4
  %sum.1 = add <8 x i32> %v.1, %w.1
  store <8 x i32> %sum.1, ptr addrspace(1) %p.1, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %13 = icmp ult i32 %lane.next, 24
  br i1 %13, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

simd.remainder:
  br label %region.0.end

simd.else:
  %14 = and i64 %offset.x, 1
  %15 = icmp eq i64 %14, 0
  %16 = and i32 %step, 1
  %17 = icmp eq i32 %16, 0
  %18 = and i1 %15, %17
  br i1 %18, label %region.0.x.simd.1, label %simd.else.1

region.0.x.simd.1:
  %lane.0.1 = phi i32 [ 0, %simd.else ], [ %lane.next.1, %region.0.x.latch.simd.1 ]
  %gid.x.3 = add nuw nsw i32 %3, %lane.0.1
  %19 = sext i32 %3 to i64
  %20 = sext i32 %lane.0.1 to i64
  %21 = add i64 %19, %20
  br label %entry.simd.1

entry.simd.1:
  %i.2 = trunc i64 %21 to i32
  %twice.2 = shl i32 %step, 1
  %pair.2 = udiv i32 %i.2, %step
  %row.2 = mul i32 %pair.2, %twice.2
  %rest.2 = urem i32 %i.2, %step
  %left.2 = add i32 %row.2, %rest.2
  %left.wide.2 = zext i32 %left.2 to i64
  %p.2 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide.2
  %v.2 = load <2 x i32>, ptr addrspace(1) %p.2, align 4
  %22 = add i32 %i.2, 2
  %pair.3 = udiv i32 %22, %step
  %row.3 = mul i32 %pair.3, %twice.2
  %rest.3 = urem i32 %22, %step
  %left.3 = add i32 %row.3, %rest.3
  %left.wide.3 = zext i32 %left.3 to i64
  %p.3 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide.3
  %v.3 = load <2 x i32>, ptr addrspace(1) %p.3, align 4
  %23 = add i32 %i.2, 4
  %pair.4 = udiv i32 %23, %step
  %row.4 = mul i32 %pair.4, %twice.2
  %rest.4 = urem i32 %23, %step
  %left.4 = add i32 %row.4, %rest.4
  %left.wide.4 = zext i32 %left.4 to i64
  %p.4 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide.4
  %v.4 = load <2 x i32>, ptr addrspace(1) %p.4, align 4
  %24 = add i32 %i.2, 6
  %pair.5 = udiv i32 %24, %step
  %row.5 = mul i32 %pair.5, %twice.2
  %rest.5 = urem i32 %24, %step
  %left.5 = add i32 %row.5, %rest.5
  %left.wide.5 = zext i32 %left.5 to i64
  %p.5 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %left.wide.5
  %v.5 = load <2 x i32>, ptr addrspace(1) %p.5, align 4
  %25 = shufflevector <2 x i32> %v.2, <2 x i32> %v.3, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %26 = shufflevector <2 x i32> %v.4, <2 x i32> %v.5, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %27 = shufflevector <4 x i32> %25, <4 x i32> %26, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %right.2 = add i32 %left.2, %step
  %right.wide.2 = zext i32 %right.2 to i64
  %q.2 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide.2
  %w.2 = load <2 x i32>, ptr addrspace(1) %q.2, align 4
  %right.3 = add i32 %left.3, %step
  %right.wide.3 = zext i32 %right.3 to i64
  %q.3 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide.3
  %w.3 = load <2 x i32>, ptr addrspace(1) %q.3, align 4
  %right.4 = add i32 %left.4, %step
  %right.wide.4 = zext i32 %right.4 to i64
  %q.4 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide.4
  %w.4 = load <2 x i32>, ptr addrspace(1) %q.4, align 4
  %right.5 = add i32 %left.5, %step
  %right.wide.5 = zext i32 %right.5 to i64
  %q.5 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %right.wide.5
  %w.5 = load <2 x i32>, ptr addrspace(1) %q.5, align 4
  %28 = shufflevector <2 x i32> %w.2, <2 x i32> %w.3, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %29 = shufflevector <2 x i32> %w.4, <2 x i32> %w.5, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %30 = shufflevector <4 x i32> %28, <4 x i32> %29, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %sum.2 = add <8 x i32> %27, %30
  %31 = shufflevector <8 x i32> %sum.2, <8 x i32> poison, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %31, ptr addrspace(1) %p.2, align 4
  %32 = shufflevector <8 x i32> %sum.2, <8 x i32> poison, <2 x i32> <i32 2, i32 3>
  store <2 x i32> %32, ptr addrspace(1) %p.3, align 4
  %33 = shufflevector <8 x i32> %sum.2, <8 x i32> poison, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %33, ptr addrspace(1) %p.4, align 4
  %34 = shufflevector <8 x i32> %sum.2, <8 x i32> poison, <2 x i32> <i32 6, i32 7>
  store <2 x i32> %34, ptr addrspace(1) %p.5, align 4
  br label %region.0.x.latch.simd.1

region.0.x.latch.simd.1:
  %lane.next.1 = add nuw nsw i32 %lane.0.1, 8
  %35 = icmp ult i32 %lane.next.1, 24
  br i1 %35, label %region.0.x.simd.1, label %simd.remainder.1, !llvm.loop !9

simd.remainder.1:
  br label %region.0.end

simd.else.1:
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
!8 = !{!"llvm.loop.isvectorized", i32 1}
!9 = distinct !{!9, !8}
