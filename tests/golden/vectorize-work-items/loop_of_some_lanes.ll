; Only some lanes enter a loop, and leave it together: it keeps its branch, under one mask.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --divergent masked
;! launch: 16 / 8
;! arg a: arange(64, dtype=int32)
;! arg n: 5
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %v = load i32, ptr addrspace(1) %p, align 4
  %odd = and i32 %v, 1
  %some = icmp ne i32 %odd, 0
  br i1 %some, label %pre, label %exit

pre:
  br label %loop

loop:
  %j = phi i32 [ 0, %pre ], [ %next, %loop ]
  %sum = phi i32 [ %v, %pre ], [ %more, %loop ]
  %at = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %at
  %w = load i32, ptr addrspace(1) %q, align 4
  %more = add i32 %sum, %w
  %next = add nsw i32 %j, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %after

after:
  %all = phi i32 [ %more, %loop ]
  %last = phi i32 [ %j, %loop ]
  %r = xor i32 %all, %last
  %b = getelementptr i8, ptr addrspace(1) %p, i64 128
  store i32 %r, ptr addrspace(1) %b, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
  %1 = mul i64 %group.x, 8
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
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
  %gid.x = add i32 %3, %lane.0
  %4 = sext i32 %3 to i64
  %5 = sext i32 %lane.0 to i64
  %6 = add i64 %4, %5
  br label %entry.simd

entry.simd:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %6
  %v = load <8 x i32>, ptr addrspace(1) %p, align 4
  %odd = and <8 x i32> %v, splat (i32 1)
  %some = icmp ne <8 x i32> %odd, splat (i32 0)
  %7 = xor <8 x i1> %some, splat (i1 true)
  %8 = bitcast <8 x i1> %some to i8
  %9 = icmp ne i8 %8, 0
  br i1 %9, label %simd.enter, label %simd.left

exit.simd:
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

simd.left:
  %more = phi <8 x i32> [ %more.1, %simd.done ], [ poison, %entry.simd ]
  %j = phi i32 [ %j.1, %simd.done ], [ poison, %entry.simd ]
  %10 = insertelement <8 x i32> poison, i32 %j, i32 0
  %11 = shufflevector <8 x i32> %10, <8 x i32> poison, <8 x i32> zeroinitializer
  %r = xor <8 x i32> %more, %11
  %b = getelementptr i8, ptr addrspace(1) %p, i64 128
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %r, ptr addrspace(1) align 4 %b, <8 x i1> %some)
  br label %exit.simd

simd.enter:
  br label %loop.simd

loop.simd:
  %j.1 = phi i32 [ 0, %simd.enter ], [ %next, %simd.stay ]
  %sum = phi <8 x i32> [ %v, %simd.enter ], [ %more.1, %simd.stay ]
  %at = sext i32 %j.1 to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %at
  %w = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) align 4 %q, <8 x i1> %some, <8 x i32> poison)
  %more.1 = add <8 x i32> %sum, %w
  %next = add nsw i32 %j.1, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %simd.stay, label %simd.done

simd.done:
  br label %simd.left

simd.stay:
  br label %loop.simd
}

declare <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1), <8 x i1>, <8 x i32>)

declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
