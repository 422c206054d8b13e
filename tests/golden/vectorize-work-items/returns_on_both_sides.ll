; Some lanes return on either side of a uniform branch: from there on the code is masked, and has one entry.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --remarks vectorize-work-items
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(16, dtype=int32) % 5
;! arg n: 3
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i
  %few = icmp slt i32 %n, 3
  br i1 %few, label %left, label %right

left:
  %large = icmp sgt i32 %x, 2
  br i1 %large, label %end, label %walk

right:
  %small = icmp slt i32 %x, 1
  br i1 %small, label %end, label %walk

walk:
  br label %header

header:
  %j = phi i32 [ 0, %walk ], [ %next, %header ]
  %sum = phi i32 [ 0, %walk ], [ %more, %header ]
  %more = add i32 %sum, %j
  %next = add nuw nsw i32 %j, 1
  %on = icmp slt i32 %next, %x
  br i1 %on, label %header, label %store

store:
  %total = phi i32 [ %more, %header ]
  store i32 %total, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 8
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
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ]
  %gid.x = add i32 %4, %lane.0
  %5 = sext i32 %4 to i64
  %6 = sext i32 %lane.0 to i64
  %7 = add i64 %5, %6
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %7
  %x = load <8 x i32>, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %7
  %few = icmp slt i32 %n, 3
  %8 = insertelement <8 x i1> poison, i1 %few, i32 0
  %9 = shufflevector <8 x i1> %8, <8 x i1> poison, <8 x i32> zeroinitializer
  %10 = xor <8 x i1> %9, splat (i1 true)
  %large = icmp sgt <8 x i32> %x, splat (i32 2)
  %11 = select <8 x i1> %9, <8 x i1> %large, <8 x i1> zeroinitializer
  %12 = xor <8 x i1> %large, splat (i1 true)
  %13 = select <8 x i1> %9, <8 x i1> %12, <8 x i1> zeroinitializer
  %small = icmp slt <8 x i32> %x, splat (i32 1)
  %14 = select <8 x i1> %10, <8 x i1> %small, <8 x i1> zeroinitializer
  %15 = xor <8 x i1> %small, splat (i1 true)
  %16 = select <8 x i1> %10, <8 x i1> %15, <8 x i1> zeroinitializer
  %17 = or <8 x i1> %13, %16
  %18 = bitcast <8 x i1> %17 to i8
  %19 = icmp ne i8 %18, 0
  br i1 %19, label %simd.enter, label %simd.left

end.simd:
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

simd.left:
  %20 = phi <8 x i1> [ %43, %simd.done ], [ zeroinitializer, %entry.simd ]
  %21 = phi <8 x i32> [ %44, %simd.done ], [ poison, %entry.simd ]
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %21, ptr addrspace(1) align 4 %q, <8 x i1> %20)
  br label %end.simd

simd.enter:
  %22 = bitcast <8 x i1> %17 to i8
  %23 = icmp eq i8 %22, -1
  br i1 %23, label %header.simd, label %simd.partial

header.simd:
  %j = phi i32 [ 0, %simd.enter ], [ %next, %header.simd ]
  %sum = phi i32 [ 0, %simd.enter ], [ %more, %header.simd ]
  %more = add i32 %sum, %j
  %next = add nuw nsw i32 %j, 1
  %24 = insertelement <8 x i32> poison, i32 %next, i32 0
  %25 = shufflevector <8 x i32> %24, <8 x i32> poison, <8 x i32> zeroinitializer
  %on = icmp slt <8 x i32> %25, %x
  %26 = xor <8 x i1> %on, splat (i1 true)
  %27 = or <8 x i1> zeroinitializer, %26
  %28 = insertelement <8 x i32> poison, i32 %more, i32 0
  %29 = shufflevector <8 x i32> %28, <8 x i32> poison, <8 x i32> zeroinitializer
  %30 = select <8 x i1> %26, <8 x i32> %29, <8 x i32> poison
  %31 = bitcast <8 x i1> %on to i8
  %32 = icmp eq i8 %31, -1
  br i1 %32, label %header.simd, label %simd.partial

simd.partial:
  %33 = phi <8 x i1> [ %17, %simd.enter ], [ %on, %header.simd ]
  %34 = phi i32 [ 0, %simd.enter ], [ %next, %header.simd ]
  %35 = phi i32 [ 0, %simd.enter ], [ %more, %header.simd ]
  %36 = phi <8 x i1> [ zeroinitializer, %simd.enter ], [ %27, %header.simd ]
  %37 = phi <8 x i32> [ poison, %simd.enter ], [ %30, %header.simd ]
  %38 = bitcast <8 x i1> %33 to i8
  %39 = icmp ne i8 %38, 0
  br i1 %39, label %simd.masked, label %simd.done

simd.masked:
  br label %header.simd.1

simd.done:
  %40 = phi <8 x i1> [ %33, %simd.partial ], [ %47, %simd.done.1 ]
  %41 = phi i32 [ %34, %simd.partial ], [ %next.1, %simd.done.1 ]
  %42 = phi i32 [ %35, %simd.partial ], [ %more.1, %simd.done.1 ]
  %43 = phi <8 x i1> [ %36, %simd.partial ], [ %50, %simd.done.1 ]
  %44 = phi <8 x i32> [ %37, %simd.partial ], [ %53, %simd.done.1 ]
  br label %simd.left

header.simd.1:
  %active = phi <8 x i1> [ %33, %simd.masked ], [ %47, %header.simd.1 ]
  %j.1 = phi i32 [ %34, %simd.masked ], [ %next.1, %header.simd.1 ]
  %sum.1 = phi i32 [ %35, %simd.masked ], [ %more.1, %header.simd.1 ]
  %left = phi <8 x i1> [ %36, %simd.masked ], [ %50, %header.simd.1 ]
  %total = phi <8 x i32> [ %37, %simd.masked ], [ %53, %header.simd.1 ]
  %more.1 = add i32 %sum.1, %j.1
  %next.1 = add nuw nsw i32 %j.1, 1
  %45 = insertelement <8 x i32> poison, i32 %next.1, i32 0
  %46 = shufflevector <8 x i32> %45, <8 x i32> poison, <8 x i32> zeroinitializer
  %on.1 = icmp slt <8 x i32> %46, %x
  %47 = select <8 x i1> %active, <8 x i1> %on.1, <8 x i1> zeroinitializer
  %48 = xor <8 x i1> %on.1, splat (i1 true)
  %49 = select <8 x i1> %active, <8 x i1> %48, <8 x i1> zeroinitializer
  %50 = or <8 x i1> %left, %49
  %51 = insertelement <8 x i32> poison, i32 %more.1, i32 0
  %52 = shufflevector <8 x i32> %51, <8 x i32> poison, <8 x i32> zeroinitializer
  %53 = select <8 x i1> %49, <8 x i32> %52, <8 x i32> %total
  %54 = bitcast <8 x i1> %47 to i8
  %55 = icmp ne i8 %54, 0
  br i1 %55, label %header.simd.1, label %simd.done.1

simd.done.1:
  br label %simd.done
}

declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: vectorize-work-items: @k: Loop: 8 lanes
; analysis: vectorize-work-items: @k: Access: vector load
; analysis: vectorize-work-items: @k: Access: masked vector store
