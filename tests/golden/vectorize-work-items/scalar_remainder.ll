; A value is uniform as long as its summand does not wrap, which is guaranteed for active lanes only. So the
; remainder, two work-items, cannot be predicated and stays scalar. The others run in lanes,
; with the layout of the private array for lanes.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane,vectorize-work-items --local-size 10,1,1
;! launch: 10 / 10
;! arg a: arange(20, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %room = alloca [8 x i32], align 4
  %i = call i64 @_Z12get_local_idj(i32 0)
  %id = trunc i64 %i to i32
  %above = add nuw i32 %id, -1073741824
  %wide = zext i32 %above to i64
  %distance = sub i64 %wide, %i
  %number = trunc i64 %distance to i32
  %product = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %number, i32 3)
  %three = extractvalue { i32, i1 } %product, 0
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %at = and i64 %k, 7
  %e = getelementptr [8 x i32], ptr %room, i64 0, i64 %at
  store i32 %v, ptr %e, align 4
  %k.next = add i64 %k, 10
  %more = icmp ult i64 %k.next, 11
  br i1 %more, label %loop, label %exit

exit:
  %first = load i32, ptr %room, align 4
  %sum = add i32 %first, %three
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)

declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
; ---- expected

declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 214748364) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %room = alloca [64 x i32], align 64
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %0 = icmp ne i32 8, 0
  br i1 %0, label %region.0.x.simd, label %simd.scalar

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ %first.left, %simd.scalar ]
  %1 = icmp ult i32 %x, 10
  br i1 %1, label %region.0.x.left, label %region.0.x.latch

region.0.x.left:
  %lane = add i32 0, 0, !weft.lane !7
  %2 = getelementptr [4 x i8], ptr %room, i32 %lane
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %id = trunc i64 %lid.x to i32
  %above = add nuw i32 %id, -1073741824
  %wide = zext i32 %above to i64
  %distance = sub i64 %wide, %lid.x
  %number = trunc i64 %distance to i32
  %product = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %number, i32 3), !llvm.access.group !0
  %three = extractvalue { i32, i1 } %product, 0
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  br label %loop

loop:
  %k = phi i64 [ 0, %entry.1 ], [ %k.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %at = and i64 %k, 7
  %e = getelementptr [32 x i8], ptr %2, i64 %at
  store i32 %v, ptr %e, align 4, !llvm.access.group !6
  %k.next = add i64 %k, 10
  %more = icmp ult i64 %k.next, 11
  br i1 %more, label %loop, label %exit

exit:
  %first = load i32, ptr %2, align 4, !llvm.access.group !6
  %sum = add i32 %first, %three
  store i32 %sum, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %3 = icmp ult i32 %x.next, %10
  br i1 %3, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %lane.1 = add i32 0, 0
  %4 = getelementptr [4 x i8], ptr %room, i32 %lane.1
  %5 = sext i32 %lane.0 to i64
  br label %entry.simd

entry.simd:
  %id.1 = trunc i64 %5 to i32
  %above.1 = add nuw i32 %id.1, -1073741824
  %wide.1 = zext i32 %above.1 to i64
  %distance.1 = sub i64 %wide.1, %5
  %number.1 = trunc i64 %distance.1 to i32
  %product.1 = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %number.1, i32 3)
  %three.1 = extractvalue { i32, i1 } %product.1, 0
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %5
  br label %loop.simd

loop.simd:
  %k.1 = phi i64 [ 0, %entry.simd ], [ %k.next.1, %loop.simd ]
  %q.1 = getelementptr i32, ptr addrspace(1) %p.1, i64 %k.1
  %v.1 = load <8 x i32>, ptr addrspace(1) %q.1, align 4
  %at.1 = and i64 %k.1, 7
  %e.1 = getelementptr [32 x i8], ptr %4, i64 %at.1
  store <8 x i32> %v.1, ptr %e.1, align 4
  %k.next.1 = add i64 %k.1, 10
  %more.1 = icmp ult i64 %k.next.1, 11
  br i1 %more.1, label %loop.simd, label %exit.simd

exit.simd:
  %first.1 = load <8 x i32>, ptr %4, align 4
  %6 = insertelement <8 x i32> poison, i32 %three.1, i32 0
  %7 = shufflevector <8 x i32> %6, <8 x i32> poison, <8 x i32> zeroinitializer
  %sum.1 = add <8 x i32> %first.1, %7
  store <8 x i32> %sum.1, ptr addrspace(1) %p.1, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %8 = icmp ult i32 %lane.next, 8
  br i1 %8, label %region.0.x.simd, label %simd.remainder, !llvm.loop !9

simd.remainder:
  %9 = icmp ne i32 8, 10
  br i1 %9, label %simd.scalar, label %region.0.end

simd.scalar:
  %first.left = phi i32 [ 0, %region.0.pre ], [ 8, %simd.remainder ]
  %10 = add i32 %first.left, 8
  br label %region.0.x
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{}
!7 = !{}
!8 = !{!"llvm.loop.isvectorized", i32 1}
!9 = distinct !{!9, !8}
