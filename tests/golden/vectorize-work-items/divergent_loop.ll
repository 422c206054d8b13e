; Lanes leave the loop at different times: it runs until the last one has left, under a mask.
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1
;! launch: 16 / 8
;! arg a: arange(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi i32 [ 7, %entry ], [ %s.next, %body ]
  %more = icmp slt i32 %n, %v
  br i1 %more, label %body, label %exit

body:
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r = phi i32 [ %s, %header ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 8
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
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %gid.x = add nuw nsw i32 %2, %lane.0
  %3 = sext i32 %2 to i64
  %4 = sext i32 %lane.0 to i64
  %5 = add i64 %3, %4
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %5
  %v = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %header.simd

exit.simd:
  %r = phi <8 x i32> [ %15, %simd.left ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %6 = icmp ult i32 %lane.next, 8
  br i1 %6, label %region.0.x.simd, label %simd.rest, !llvm.loop !7

simd.left:
  br label %exit.simd

header.simd:
  %active = phi <8 x i1> [ splat (i1 true), %entry.simd ], [ %9, %header.simd ]
  %n = phi i32 [ 0, %entry.simd ], [ %n.next, %header.simd ]
  %s = phi i32 [ 7, %entry.simd ], [ %s.next, %header.simd ]
  %left = phi <8 x i1> [ zeroinitializer, %entry.simd ], [ %12, %header.simd ]
  %r.1 = phi <8 x i32> [ poison, %entry.simd ], [ %15, %header.simd ]
  %7 = insertelement <8 x i32> poison, i32 %n, i32 0
  %8 = shufflevector <8 x i32> %7, <8 x i32> poison, <8 x i32> zeroinitializer
  %more = icmp slt <8 x i32> %8, %v
  %9 = select <8 x i1> %active, <8 x i1> %more, <8 x i1> zeroinitializer
  %10 = xor <8 x i1> %more, splat (i1 true)
  %11 = select <8 x i1> %active, <8 x i1> %10, <8 x i1> zeroinitializer
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  %12 = or <8 x i1> %left, %11
  %13 = insertelement <8 x i32> poison, i32 %s, i32 0
  %14 = shufflevector <8 x i32> %13, <8 x i32> poison, <8 x i32> zeroinitializer
  %15 = select <8 x i1> %11, <8 x i32> %14, <8 x i32> %r.1
  %16 = bitcast <8 x i1> %9 to i8
  %17 = icmp ne i8 %16, 0
  br i1 %17, label %header.simd, label %simd.left

simd.rest:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
