; Ten work-items, eight lanes: the scalar loop does the last two.
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

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ %first.left, %simd.scalar ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  br label %loop

loop:
  %k = phi i64 [ 0, %entry.1 ], [ %k.next, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !0
  %k.next = add i64 %k, 10
  %more = icmp ult i64 %k.next, 11
  br i1 %more, label %loop, label %exit

exit:
  %r = phi i32 [ %v, %loop ]
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %1 = icmp ult i32 %x.next, 10
  br i1 %1, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %2 = sext i32 %lane.0 to i64
  br label %entry.simd

entry.simd:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %2
  br label %loop.simd

loop.simd:
  %k.1 = phi i64 [ 0, %entry.simd ], [ %k.next.1, %loop.simd ]
  %q.1 = getelementptr i32, ptr addrspace(1) %p.1, i64 %k.1
  %v.1 = load <8 x i32>, ptr addrspace(1) %q.1, align 4
  %k.next.1 = add i64 %k.1, 10
  %more.1 = icmp ult i64 %k.next.1, 11
  br i1 %more.1, label %loop.simd, label %exit.simd

exit.simd:
  %r.1 = phi <8 x i32> [ %v.1, %loop.simd ]
  store <8 x i32> %r.1, ptr addrspace(1) %p.1, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %3 = icmp ult i32 %lane.next, 8
  br i1 %3, label %region.0.x.simd, label %simd.rest, !llvm.loop !7

simd.rest:
  %4 = icmp ne i32 8, 10
  br i1 %4, label %simd.scalar, label %region.0.end

simd.scalar:
  %first.left = phi i32 [ 0, %region.0.pre ], [ 8, %simd.rest ]
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
