; As long as all lanes are active the loop runs without masks, then the rest runs under masks.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --divergent dvec-s
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
  %r = phi <8 x i32> [ %15, %simd.left ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

simd.left:
  br label %exit.simd

header.simd:
  %n = phi i32 [ 0, %entry.simd ], [ %n.next, %simd.all ]
  %s = phi i32 [ 7, %entry.simd ], [ %s.next, %simd.all ]
  %6 = insertelement <8 x i32> poison, i32 %n, i32 0
  %7 = shufflevector <8 x i32> %6, <8 x i32> poison, <8 x i32> zeroinitializer
  %more = icmp slt <8 x i32> %7, %v
  %8 = xor <8 x i1> %more, splat (i1 true)
  %9 = bitcast <8 x i1> %8 to i8
  %10 = icmp ne i8 %9, 0
  br i1 %10, label %simd.partial, label %simd.all

simd.partial:
  %11 = bitcast <8 x i1> splat (i1 true) to i8
  %12 = icmp ne i8 %11, 0
  br i1 %12, label %simd.masked, label %simd.done

simd.masked:
  br label %header.simd.1

simd.done:
  %13 = phi <8 x i1> [ splat (i1 true), %simd.partial ], [ %18, %simd.done.1 ]
  %n.1 = phi i32 [ %n, %simd.partial ], [ %n.next.1, %simd.done.1 ]
  %s.1 = phi i32 [ %s, %simd.partial ], [ %s.next.1, %simd.done.1 ]
  %14 = phi <8 x i1> [ zeroinitializer, %simd.partial ], [ %21, %simd.done.1 ]
  %15 = phi <8 x i32> [ poison, %simd.partial ], [ %24, %simd.done.1 ]
  br label %simd.left

simd.all:
  %s.next = mul i32 %s, 3
  %n.next = add nsw i32 %n, 1
  br label %header.simd

header.simd.1:
  %active = phi <8 x i1> [ splat (i1 true), %simd.masked ], [ %18, %header.simd.1 ]
  %n.2 = phi i32 [ %n, %simd.masked ], [ %n.next.1, %header.simd.1 ]
  %s.2 = phi i32 [ %s, %simd.masked ], [ %s.next.1, %header.simd.1 ]
  %left = phi <8 x i1> [ zeroinitializer, %simd.masked ], [ %21, %header.simd.1 ]
  %r.1 = phi <8 x i32> [ poison, %simd.masked ], [ %24, %header.simd.1 ]
  %16 = insertelement <8 x i32> poison, i32 %n.2, i32 0
  %17 = shufflevector <8 x i32> %16, <8 x i32> poison, <8 x i32> zeroinitializer
  %more.1 = icmp slt <8 x i32> %17, %v
  %18 = select <8 x i1> %active, <8 x i1> %more.1, <8 x i1> zeroinitializer
  %19 = xor <8 x i1> %more.1, splat (i1 true)
  %20 = select <8 x i1> %active, <8 x i1> %19, <8 x i1> zeroinitializer
  %s.next.1 = mul i32 %s.2, 3
  %n.next.1 = add nsw i32 %n.2, 1
  %21 = or <8 x i1> %left, %20
  %22 = insertelement <8 x i32> poison, i32 %s.2, i32 0
  %23 = shufflevector <8 x i32> %22, <8 x i32> poison, <8 x i32> zeroinitializer
  %24 = select <8 x i1> %20, <8 x i32> %23, <8 x i32> %r.1
  %25 = bitcast <8 x i1> %18 to i8
  %26 = icmp ne i8 %25, 0
  br i1 %26, label %header.simd.1, label %simd.done.1

simd.done.1:
  br label %simd.done
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
