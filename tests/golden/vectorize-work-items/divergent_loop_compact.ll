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
  %active = phi <8 x i1> [ zeroinitializer, %region.0.pre ], [ %active.1, %simd.after.1 ]
  %item = phi <8 x i32> [ poison, %region.0.pre ], [ %17, %simd.after.1 ]
  %p = phi <8 x ptr addrspace(1)> [ poison, %region.0.pre ], [ %30, %simd.after.1 ]
  %v = phi <8 x i32> [ poison, %region.0.pre ], [ %31, %simd.after.1 ]
  %n = phi <8 x i32> [ poison, %region.0.pre ], [ %n.1, %simd.after.1 ]
  %s = phi <8 x i32> [ poison, %region.0.pre ], [ %s.1, %simd.after.1 ]
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
  %active.1 = phi <8 x i1> [ %32, %simd.after ], [ %39, %pack.loop ]
  %n.1 = phi <8 x i32> [ %28, %simd.after ], [ %n.next, %pack.loop ]
  %s.1 = phi <8 x i32> [ %29, %simd.after ], [ %s.next, %pack.loop ]
  %left = phi <8 x i1> [ zeroinitializer, %simd.after ], [ %42, %pack.loop ]
  %out = phi <8 x i32> [ poison, %simd.after ], [ %43, %pack.loop ]
  %26 = bitcast <8 x i1> %left to i8
  %27 = icmp ne i8 %26, 0
  br i1 %27, label %simd.active.1, label %simd.after.1

simd.active:
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %gid.x.1
  %v.1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p.1, <8 x i1> %16, <8 x i32> poison)
  br label %simd.after

simd.after:
  %p.2 = phi <8 x ptr addrspace(1)> [ %p.1, %simd.active ], [ poison, %pack.refill ]
  %v.2 = phi <8 x i32> [ %v.1, %simd.active ], [ poison, %pack.refill ]
  %28 = select <8 x i1> %16, <8 x i32> splat (i32 0), <8 x i32> %n
  %29 = select <8 x i1> %16, <8 x i32> splat (i32 7), <8 x i32> %s
  %30 = select <8 x i1> %16, <8 x ptr addrspace(1)> %p.2, <8 x ptr addrspace(1)> %p
  %31 = select <8 x i1> %16, <8 x i32> %v.2, <8 x i32> %v
  %32 = or <8 x i1> %active, %16
  %33 = icmp ult i32 %21, 16
  %34 = select i1 %33, i32 6, i32 1
  %35 = bitcast <8 x i1> %32 to i8
  %36 = zext i8 %35 to i32
  %37 = call i32 @llvm.ctpop.i32(i32 %36)
  %38 = icmp uge i32 %37, %34
  br i1 %38, label %pack.loop, label %pack.drain

pack.loop:
  %active.2 = phi <8 x i1> [ %32, %simd.after ], [ %39, %pack.loop ]
  %n.2 = phi <8 x i32> [ %28, %simd.after ], [ %n.next, %pack.loop ]
  %s.2 = phi <8 x i32> [ %29, %simd.after ], [ %s.next, %pack.loop ]
  %left.1 = phi <8 x i1> [ zeroinitializer, %simd.after ], [ %42, %pack.loop ]
  %out.1 = phi <8 x i32> [ poison, %simd.after ], [ %43, %pack.loop ]
  %more = icmp slt <8 x i32> %n.2, %31
  %39 = select <8 x i1> %active.2, <8 x i1> %more, <8 x i1> zeroinitializer
  %40 = xor <8 x i1> %more, splat (i1 true)
  %41 = select <8 x i1> %active.2, <8 x i1> %40, <8 x i1> zeroinitializer
  %s.next = mul <8 x i32> %s.2, splat (i32 3)
  %n.next = add nsw <8 x i32> %n.2, splat (i32 1)
  %42 = or <8 x i1> %left.1, %41
  %43 = select <8 x i1> %41, <8 x i32> %s.2, <8 x i32> %out.1
  %44 = bitcast <8 x i1> %39 to i8
  %45 = zext i8 %44 to i32
  %46 = call i32 @llvm.ctpop.i32(i32 %45)
  %47 = icmp uge i32 %46, %34
  br i1 %47, label %pack.loop, label %pack.drain

simd.active.1:
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %out, <8 x ptr addrspace(1)> align 4 %30, <8 x i1> %left)
  br label %simd.after.1

simd.after.1:
  br i1 %33, label %pack.refill, label %region.0.end
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
