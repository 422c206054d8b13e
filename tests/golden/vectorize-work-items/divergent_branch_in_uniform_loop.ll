; The loop stays a loop; inside it, the branch becomes a mask, and the masked load is not done in idle lanes.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 8,1,1 --divergent masked
;! launch: 8 / 8
;! arg a: arange(8, dtype=int32)
;! arg n: 5
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z12get_local_idj(i32 0)
  %j = trunc i64 %i to i32
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %join ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %join ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %odd = and i32 %j, 1
  %is = icmp ne i32 %odd, 0
  br i1 %is, label %then, label %join

then:
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = add i32 %s, %v
  br label %join

join:
  %s.next = phi i32 [ %s, %body ], [ %t, %then ]
  %k.next = add i32 %k, 1
  br label %header

exit:
  %r = phi i32 [ %s, %header ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
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
  %1 = sext i32 %lane.0 to i64
  br label %entry.simd

entry.simd:
  %j = trunc i64 %1 to i32
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %1
  br label %header.simd

header.simd:
  %k = phi i32 [ 0, %entry.simd ], [ %k.next, %join.simd ]
  %s = phi <8 x i32> [ splat (i32 0), %entry.simd ], [ %s.next, %join.simd ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body.simd, label %exit.simd

exit.simd:
  %r = phi <8 x i32> [ %s, %header.simd ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %2 = insertelement <8 x i32> poison, i32 %j, i32 0
  %3 = shufflevector <8 x i32> %2, <8 x i32> poison, <8 x i32> zeroinitializer
  %4 = add <8 x i32> %3, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %odd = and <8 x i32> %4, splat (i32 1)
  %is = icmp ne <8 x i32> %odd, splat (i32 0)
  %5 = xor <8 x i1> %is, splat (i1 true)
  %v = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) align 4 %p, <8 x i1> %is, <8 x i32> poison)
  %t = add <8 x i32> %s, %v
  %6 = select <8 x i1> %is, <8 x i32> %t, <8 x i32> %s
  br label %join.simd

join.simd:
  %s.next = phi <8 x i32> [ %6, %body.simd ]
  %k.next = add i32 %k, 1
  br label %header.simd
}

declare <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1), <8 x i1>, <8 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
