; Lanes that have left the loop take other work-items.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 16,1,1 --divergent compact
;! launch: 32 / 16
;! arg a: arange(32, dtype=int32)
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

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 134217728) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 16
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
  br label %pack.refill

region.0.end:
  br label %exit.barrier

pack.refill:
  %next = phi i32 [ 0, %region.0.pre ], [ %21, %simd.after.1 ]
  %active = phi <8 x i1> [ zeroinitializer, %region.0.pre ], [ %26, %simd.after.1 ]
  %item = phi <8 x i32> [ poison, %region.0.pre ], [ %17, %simd.after.1 ]
  %p = phi <8 x ptr addrspace(1)> [ poison, %region.0.pre ], [ %35, %simd.after.1 ]
  %v = phi <8 x i32> [ poison, %region.0.pre ], [ %36, %simd.after.1 ]
  %n = phi <8 x i32> [ poison, %region.0.pre ], [ %27, %simd.after.1 ]
  %s = phi <8 x i32> [ poison, %region.0.pre ], [ %28, %simd.after.1 ]
  %3 = xor <8 x i1> %active, splat (i1 true)
  %4 = zext <8 x i1> %3 to <8 x i32>
  %5 = shufflevector <8 x i32> %4, <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6>
  %6 = add <8 x i32> %4, %5
  %7 = shufflevector <8 x i32> %6, <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 8, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5>
  %8 = add <8 x i32> %6, %7
  %9 = shufflevector <8 x i32> %8, <8 x i32> zeroinitializer, <8 x i32> <i32 8, i32 8, i32 8, i32 8, i32 0, i32 1, i32 2, i32 3>
  %10 = add <8 x i32> %8, %9
  %11 = insertelement <8 x i32> poison, i32 %next, i32 0
  %12 = shufflevector <8 x i32> %11, <8 x i32> poison, <8 x i32> zeroinitializer
  %13 = sub <8 x i32> %10, %4
  %14 = add <8 x i32> %12, %13
  %15 = icmp ult <8 x i32> %14, splat (i32 16)
  %16 = select <8 x i1> %3, <8 x i1> %15, <8 x i1> zeroinitializer
  %17 = select <8 x i1> %16, <8 x i32> %14, <8 x i32> %item
  %18 = extractelement <8 x i32> %10, i32 7
  %19 = add i32 %next, %18
  %20 = icmp ult i32 %19, 16
  %21 = select i1 %20, i32 %19, i32 16
  %22 = insertelement <8 x i32> poison, i32 %2, i32 0
  %23 = shufflevector <8 x i32> %22, <8 x i32> poison, <8 x i32> zeroinitializer
  %gid.x = add nuw nsw <8 x i32> %23, %17
  %gid.x.1 = zext nneg <8 x i32> %gid.x to <8 x i64>
  %24 = bitcast <8 x i1> %16 to i8
  %25 = icmp ne i8 %24, 0
  br i1 %25, label %simd.active, label %simd.after

pack.drain:
  %26 = phi <8 x i1> [ %37, %simd.after ], [ %44, %pack.loop ]
  %27 = phi <8 x i32> [ %33, %simd.after ], [ %n.next, %pack.loop ]
  %28 = phi <8 x i32> [ %34, %simd.after ], [ %s.next, %pack.loop ]
  %29 = phi <8 x i1> [ zeroinitializer, %simd.after ], [ %47, %pack.loop ]
  %30 = phi <8 x i32> [ poison, %simd.after ], [ %48, %pack.loop ]
  %31 = bitcast <8 x i1> %29 to i8
  %32 = icmp ne i8 %31, 0
  br i1 %32, label %simd.active.1, label %simd.after.1

simd.active:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %gid.x.1
  %v.1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p.1, <8 x i1> %16, <8 x i32> poison)
  br label %simd.after

simd.after:
  %p.2 = phi <8 x ptr addrspace(1)> [ %p.1, %simd.active ], [ poison, %pack.refill ]
  %v.2 = phi <8 x i32> [ %v.1, %simd.active ], [ poison, %pack.refill ]
  %33 = select <8 x i1> %16, <8 x i32> splat (i32 0), <8 x i32> %n
  %34 = select <8 x i1> %16, <8 x i32> splat (i32 7), <8 x i32> %s
  %35 = select <8 x i1> %16, <8 x ptr addrspace(1)> %p.2, <8 x ptr addrspace(1)> %p
  %36 = select <8 x i1> %16, <8 x i32> %v.2, <8 x i32> %v
  %37 = or <8 x i1> %active, %16
  %38 = icmp ult i32 %21, 16
  %39 = select i1 %38, i32 6, i32 1
  %40 = bitcast <8 x i1> %37 to i8
  %41 = zext i8 %40 to i32
  %42 = call i32 @llvm.ctpop.i32(i32 %41)
  %43 = icmp uge i32 %42, %39
  br i1 %43, label %pack.loop, label %pack.drain

pack.loop:
  %active.1 = phi <8 x i1> [ %37, %simd.after ], [ %44, %pack.loop ]
  %n.1 = phi <8 x i32> [ %33, %simd.after ], [ %n.next, %pack.loop ]
  %s.1 = phi <8 x i32> [ %34, %simd.after ], [ %s.next, %pack.loop ]
  %left = phi <8 x i1> [ zeroinitializer, %simd.after ], [ %47, %pack.loop ]
  %r = phi <8 x i32> [ poison, %simd.after ], [ %48, %pack.loop ]
  %more = icmp slt <8 x i32> %n.1, %36
  %44 = select <8 x i1> %active.1, <8 x i1> %more, <8 x i1> zeroinitializer
  %45 = xor <8 x i1> %more, splat (i1 true)
  %46 = select <8 x i1> %active.1, <8 x i1> %45, <8 x i1> zeroinitializer
  %s.next = mul <8 x i32> %s.1, splat (i32 3)
  %n.next = add nsw <8 x i32> %n.1, splat (i32 1)
  %47 = or <8 x i1> %left, %46
  %48 = select <8 x i1> %46, <8 x i32> %s.1, <8 x i32> %r
  %49 = bitcast <8 x i1> %44 to i8
  %50 = zext i8 %49 to i32
  %51 = call i32 @llvm.ctpop.i32(i32 %50)
  %52 = icmp uge i32 %51, %39
  br i1 %52, label %pack.loop, label %pack.drain

simd.active.1:
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %30, <8 x ptr addrspace(1)> align 4 %35, <8 x i1> %29)
  br label %simd.after.1

simd.after.1:
  br i1 %38, label %pack.refill, label %region.0.end
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)

declare i32 @llvm.ctpop.i32(i32)

declare void @llvm.masked.scatter.v8i32.v8p1(<8 x i32>, <8 x ptr addrspace(1)>, <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
