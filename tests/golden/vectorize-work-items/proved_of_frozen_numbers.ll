; What is proved of numbers that are frozen holds as they wrap; so the one of the first lane is computed without promises.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 24,1,1
;! launch: 48 / 24
;! arg a: arange(64, dtype=int32)
;! arg b: zeros(48, int32)
;! arg n: 2147483624
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %j = add nsw i32 %i, %n
  %f = freeze i32 %j
  %other = xor i32 %f, 1
  %low = and i32 %other, 63
  %place = zext nneg i32 %low to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place
  %v = load i32, ptr addrspace(1) %p, align 4
  %small = icmp ult i64 %id, 24
  %w = select i1 %small, i32 %v, i32 0
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %id
  store i32 %w, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 89478485) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %b = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 24
  %3 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %3, align 8
  %base.x = add i64 %2, %offset.x
  %4 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %5 = and i64 %offset.x, 7
  %6 = icmp eq i64 %5, 0
  %7 = and i32 %n, 7
  %8 = icmp eq i32 %7, 0
  %9 = and i1 %6, %8
  br i1 %9, label %region.0.x.simd, label %simd.else

region.0.x:
  %x = phi i32 [ 0, %simd.else.1 ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %i = trunc i64 %gid.x.1 to i32
  %j = add nsw i32 %i, %n
  %f = freeze i32 %j
  %other = xor i32 %f, 1
  %low = and i32 %other, 63
  %place = zext nneg i32 %low to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %small = icmp ult i64 %gid.x.1, 24
  %w = select i1 %small, i32 %v, i32 0
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %gid.x.1
  store i32 %w, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %10 = icmp ult i32 %x.next, 24
  br i1 %10, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %gid.x.2 = add i32 %4, %lane.0
  %11 = sext i32 %4 to i64
  %12 = sext i32 %lane.0 to i64
  %13 = add i64 %11, %12
  br label %entry.simd

entry.simd:
  %i.1 = trunc i64 %13 to i32
  %j.1 = add i32 %i.1, %n
  %f.1 = freeze i32 %j.1
  %other.1 = xor i32 %f.1, 1
  %low.1 = and i32 %other.1, 63
  %place.1 = zext nneg i32 %low.1 to i64
  %p.1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.1
  %14 = getelementptr inbounds i8, ptr addrspace(1) %p.1, i64 -4
  %v.1 = load <8 x i32>, ptr addrspace(1) %14, align 4
  %15 = shufflevector <8 x i32> %v.1, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %16 = insertelement <8 x i64> poison, i64 %13, i32 0
  %17 = shufflevector <8 x i64> %16, <8 x i64> poison, <8 x i32> zeroinitializer
  %18 = add <8 x i64> %17, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %small.1 = icmp ult <8 x i64> %18, splat (i64 24)
  %w.1 = select <8 x i1> %small.1, <8 x i32> %15, <8 x i32> splat (i32 0)
  %q.1 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %13
  store <8 x i32> %w.1, ptr addrspace(1) %q.1, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %19 = icmp ult i32 %lane.next, 24
  br i1 %19, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

simd.remainder:
  br label %region.0.end

simd.else:
  %20 = and i64 %offset.x, 1
  %21 = icmp eq i64 %20, 0
  %22 = and i32 %n, 1
  %23 = icmp eq i32 %22, 0
  %24 = and i1 %21, %23
  br i1 %24, label %region.0.x.simd.1, label %simd.else.1

region.0.x.simd.1:
  %lane.0.1 = phi i32 [ 0, %simd.else ], [ %lane.next.1, %region.0.x.latch.simd.1 ]
  %gid.x.3 = add i32 %4, %lane.0.1
  %25 = sext i32 %4 to i64
  %26 = sext i32 %lane.0.1 to i64
  %27 = add i64 %25, %26
  br label %entry.simd.1

entry.simd.1:
  %i.2 = trunc i64 %27 to i32
  %j.2 = add i32 %i.2, %n
  %f.2 = freeze i32 %j.2
  %other.2 = xor i32 %f.2, 1
  %low.2 = and i32 %other.2, 63
  %place.2 = zext nneg i32 %low.2 to i64
  %p.2 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.2
  %28 = getelementptr inbounds i8, ptr addrspace(1) %p.2, i64 -4
  %v.2 = load <2 x i32>, ptr addrspace(1) %28, align 4
  %29 = shufflevector <2 x i32> %v.2, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %30 = add i32 %f.2, 2
  %other.3 = xor i32 %30, 1
  %low.3 = and i32 %other.3, 63
  %place.3 = zext nneg i32 %low.3 to i64
  %p.3 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.3
  %31 = getelementptr inbounds i8, ptr addrspace(1) %p.3, i64 -4
  %v.3 = load <2 x i32>, ptr addrspace(1) %31, align 4
  %32 = shufflevector <2 x i32> %v.3, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %33 = add i32 %f.2, 4
  %other.4 = xor i32 %33, 1
  %low.4 = and i32 %other.4, 63
  %place.4 = zext nneg i32 %low.4 to i64
  %p.4 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.4
  %34 = getelementptr inbounds i8, ptr addrspace(1) %p.4, i64 -4
  %v.4 = load <2 x i32>, ptr addrspace(1) %34, align 4
  %35 = shufflevector <2 x i32> %v.4, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %36 = add i32 %f.2, 6
  %other.5 = xor i32 %36, 1
  %low.5 = and i32 %other.5, 63
  %place.5 = zext nneg i32 %low.5 to i64
  %p.5 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %place.5
  %37 = getelementptr inbounds i8, ptr addrspace(1) %p.5, i64 -4
  %v.5 = load <2 x i32>, ptr addrspace(1) %37, align 4
  %38 = shufflevector <2 x i32> %v.5, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %39 = shufflevector <2 x i32> %29, <2 x i32> %32, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %40 = shufflevector <2 x i32> %35, <2 x i32> %38, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %41 = shufflevector <4 x i32> %39, <4 x i32> %40, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %42 = insertelement <8 x i64> poison, i64 %27, i32 0
  %43 = shufflevector <8 x i64> %42, <8 x i64> poison, <8 x i32> zeroinitializer
  %44 = add <8 x i64> %43, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %small.2 = icmp ult <8 x i64> %44, splat (i64 24)
  %w.2 = select <8 x i1> %small.2, <8 x i32> %41, <8 x i32> splat (i32 0)
  %q.2 = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %27
  store <8 x i32> %w.2, ptr addrspace(1) %q.2, align 4
  br label %region.0.x.latch.simd.1

region.0.x.latch.simd.1:
  %lane.next.1 = add nuw nsw i32 %lane.0.1, 8
  %45 = icmp ult i32 %lane.next.1, 24
  br i1 %45, label %region.0.x.simd.1, label %simd.remainder.1, !llvm.loop !9

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
