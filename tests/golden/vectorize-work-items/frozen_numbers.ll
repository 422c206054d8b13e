; Numbers of the first work-items overflow, and are any number then, but the same wherever they are used; those of the
; others are what they are, and must not be derived from the first.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1
;! launch: 16 / 8
;! arg out: zeros(16, int64)
;! arg narrow: zeros(16, int32)
;! arg n: -2147483648
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %narrow, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %j = sub nsw i32 %i, 5
  %x = add nsw i32 %j, %n
  %f = freeze i32 %x
  %s = sext i32 %f to i64
  %late = icmp sgt i32 %i, 4
  %y = select i1 %late, i64 %s, i64 0
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %id
  store i64 %y, ptr addrspace(1) %p, align 8
  %z = select i1 %late, i32 %f, i32 0
  %q = getelementptr i32, ptr addrspace(1) %narrow, i64 %id
  store i32 %z, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %narrow = load ptr addrspace(1), ptr %0, align 8
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
  %i = trunc i64 %7 to i32
  %j = sub i32 %i, 5
  %x = add i32 %j, %n
  %f = freeze i32 %x
  %s = sext i32 %f to i64
  %8 = insertelement <8 x i32> poison, i32 %i, i32 0
  %9 = shufflevector <8 x i32> %8, <8 x i32> poison, <8 x i32> zeroinitializer
  %10 = add <8 x i32> %9, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %late = icmp sgt <8 x i32> %10, splat (i32 4)
  %11 = insertelement <8 x i32> poison, i32 %i, i32 0
  %12 = shufflevector <8 x i32> %11, <8 x i32> poison, <8 x i32> zeroinitializer
  %13 = add <8 x i32> %12, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %14 = sub <8 x i32> %13, splat (i32 5)
  %15 = insertelement <8 x i32> poison, i32 %n, i32 0
  %16 = shufflevector <8 x i32> %15, <8 x i32> poison, <8 x i32> zeroinitializer
  %17 = add <8 x i32> %14, %16
  %18 = freeze <8 x i32> %17
  %19 = sext <8 x i32> %18 to <8 x i64>
  %y = select <8 x i1> %late, <8 x i64> %19, <8 x i64> splat (i64 0)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %7
  store <8 x i64> %y, ptr addrspace(1) %p, align 8
  %z = select <8 x i1> %late, <8 x i32> %18, <8 x i32> splat (i32 0)
  %q = getelementptr i32, ptr addrspace(1) %narrow, i64 %7
  store <8 x i32> %z, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
