; Where code for all lanes and for some of them would be too long, there is only that under masks.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --limit versions=0
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
  %lane.0 = phi i32 [ 0, %region.0.pre ]
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
  %r = phi <8 x i32> [ %14, %simd.left ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

simd.left:
  br label %exit.simd

header.simd:
  %active = phi <8 x i1> [ splat (i1 true), %entry.simd ], [ %8, %header.simd ]
  %n = phi i32 [ 0, %entry.simd ], [ %n.next, %header.simd ]
  %s = phi i32 [ 7, %entry.simd ], [ %s.next, %header.simd ]
  %left = phi <8 x i1> [ zeroinitializer, %entry.simd ], [ %11, %header.simd ]
  %r.1 = phi <8 x i32> [ poison, %entry.simd ], [ %14, %header.simd ]
  %6 = insertelement <8 x i32> poison, i32 %n, i32 0
  %7 = shufflevector <8 x i32> %6, <8 x i32> poison, <8 x i32> zeroinitializer
  %more = icmp slt <8 x i32> %7, %v
  %8 = select <8 x i1> %active, <8 x i1> %more, <8 x i1> zeroinitializer
  %9 = xor <8 x i1> %more, splat (i1 true)
  %10 = select <8 x i1> %active, <8 x i1> %9, <8 x i1> zeroinitializer
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  %11 = or <8 x i1> %left, %10
  %12 = insertelement <8 x i32> poison, i32 %s, i32 0
  %13 = shufflevector <8 x i32> %12, <8 x i32> poison, <8 x i32> zeroinitializer
  %14 = select <8 x i1> %10, <8 x i32> %13, <8 x i32> %r.1
  %15 = bitcast <8 x i1> %8 to i8
  %16 = icmp ne i8 %15, 0
  br i1 %16, label %header.simd, label %simd.done

simd.done:
  br label %simd.left
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
