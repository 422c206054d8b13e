; Ten work-items, eight lanes: the last two run in the predicated remainder loop.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 10,1,1
;! launch: 10 / 10
;! arg a: arange(20, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %k.next = add i64 %k, 10
  %more = icmp ult i64 %k.next, 11
  br i1 %more, label %loop, label %exit

exit:
  %r = phi i32 [ %v, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 214748364) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  %0 = icmp ne i32 8, 0
  br i1 %0, label %region.0.x.simd, label %simd.scalar

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %1 = sext i32 %lane.0 to i64
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %1
  br label %loop.simd

loop.simd:
  %k = phi i64 [ 0, %entry.simd ], [ %k.next, %loop.simd ]
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %k
  %v = load <8 x i32>, ptr addrspace(1) %q, align 4
  %k.next = add i64 %k, 10
  %more = icmp ult i64 %k.next, 11
  br i1 %more, label %loop.simd, label %exit.simd

exit.simd:
  %r = phi <8 x i32> [ %v, %loop.simd ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %2 = icmp ult i32 %lane.next, 8
  br i1 %2, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

simd.remainder:
  %3 = icmp ne i32 8, 10
  br i1 %3, label %simd.scalar, label %region.0.end

simd.scalar:
  %first.left = phi i32 [ 0, %region.0.pre ], [ 8, %simd.remainder ]
  %4 = add i32 %first.left, 8
  br label %region.0.x.simd.1

region.0.x.simd.1:
  %lane.0.1 = phi i32 [ %first.left, %simd.scalar ]
  %5 = insertelement <8 x i32> poison, i32 %lane.0.1, i32 0
  %6 = shufflevector <8 x i32> %5, <8 x i32> poison, <8 x i32> zeroinitializer
  %7 = add <8 x i32> %6, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %8 = icmp ult <8 x i32> %7, splat (i32 10)
  %9 = xor <8 x i1> %8, splat (i1 true)
  %10 = sext i32 %lane.0.1 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %10
  %11 = bitcast <8 x i1> %8 to i8
  %12 = icmp ne i8 %11, 0
  br i1 %12, label %simd.enter, label %simd.left

region.0.x.latch.simd.1:
  br label %region.0.end

simd.left:
  %v.1 = phi <8 x i32> [ %v.2, %simd.done ], [ poison, %region.0.x.simd.1 ]
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %v.1, ptr addrspace(1) align 4 %p.1, <8 x i1> %8)
  br label %region.0.x.latch.simd.1

simd.enter:
  br label %loop.simd.1

loop.simd.1:
  %k.1 = phi i64 [ 0, %simd.enter ], [ %k.next.1, %simd.stay ]
  %q.1 = getelementptr i32, ptr addrspace(1) %p.1, i64 %k.1
  %v.2 = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) align 4 %q.1, <8 x i1> %8, <8 x i32> poison)
  %k.next.1 = add i64 %k.1, 10
  %more.1 = icmp ult i64 %k.next.1, 11
  br i1 %more.1, label %simd.stay, label %simd.done

simd.done:
  br label %simd.left

simd.stay:
  br label %loop.simd.1
}

declare <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1), <8 x i1>, <8 x i32>)

declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
