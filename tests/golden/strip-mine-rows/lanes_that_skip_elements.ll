; Each lane reads only some elements of its row.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 8,1,1 --divergent masked --remarks strip-mine-rows
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(176, dtype=int32)
;! arg n: 11
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %i, %n
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body, label %exit

body:
  %either = xor i32 %j, %i
  %odd = and i32 %either, 1
  %skip = icmp eq i32 %odd, 0
  br i1 %skip, label %latch, label %read

read:
  %index = add nsw i32 %row, %j
  %at = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %sum, %v
  br label %latch

latch:
  %more = phi i32 [ %sum, %body ], [ %new, %read ]
  %next = add nsw i32 %j, 1
  br label %header

exit:
  %all = phi i32 [ %sum, %header ]
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %all, ptr addrspace(1) %q, align 4
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
  %gid.x = add nuw nsw i32 %4, %lane.0
  %5 = sext i32 %4 to i64
  %6 = sext i32 %lane.0 to i64
  %7 = add i64 %5, %6
  br label %entry.simd

entry.simd:
  %i = trunc i64 %7 to i32
  %8 = insertelement <8 x i32> poison, i32 %i, i32 0
  %9 = shufflevector <8 x i32> %8, <8 x i32> poison, <8 x i32> zeroinitializer
  %10 = add <8 x i32> %9, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %11 = insertelement <8 x i32> poison, i32 %n, i32 0
  %12 = shufflevector <8 x i32> %11, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %10, %12
  br label %header.simd

header.simd:
  %j = phi i32 [ 0, %entry.simd ], [ %next, %latch.simd ]
  %sum = phi <8 x i32> [ splat (i32 0), %entry.simd ], [ %more, %latch.simd ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body.simd, label %exit.simd

exit.simd:
  %all = phi <8 x i32> [ %sum, %header.simd ]
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %7
  store <8 x i32> %all, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %13 = insertelement <8 x i32> poison, i32 %j, i32 0
  %14 = shufflevector <8 x i32> %13, <8 x i32> poison, <8 x i32> zeroinitializer
  %15 = insertelement <8 x i32> poison, i32 %i, i32 0
  %16 = shufflevector <8 x i32> %15, <8 x i32> poison, <8 x i32> zeroinitializer
  %17 = add <8 x i32> %16, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %either = xor <8 x i32> %14, %17
  %odd = and <8 x i32> %either, splat (i32 1)
  %skip = icmp eq <8 x i32> %odd, splat (i32 0)
  %18 = xor <8 x i1> %skip, splat (i1 true)
  %19 = bitcast <8 x i1> %18 to i8
  %20 = icmp ne i8 %19, 0
  br i1 %20, label %simd.active, label %simd.after

latch.simd:
  %more = phi <8 x i32> [ %23, %simd.after ]
  %next = add nsw i32 %j, 1
  br label %header.simd

simd.active:
  %21 = insertelement <8 x i32> poison, i32 %j, i32 0
  %22 = shufflevector <8 x i32> %21, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add nsw <8 x i32> %row, %22
  %at = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p, <8 x i1> %18, <8 x i32> poison)
  %new = add <8 x i32> %sum, %v
  br label %simd.after

simd.after:
  %new.1 = phi <8 x i32> [ %new, %simd.active ], [ poison, %body.simd ]
  %23 = select <8 x i1> %18, <8 x i32> %new.1, <8 x i32> %sum
  br label %latch.simd
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; missed: strip-mine-rows: @k: Mask: the lanes that make it change from one iteration to the next
