; The lanes of the loop only compute: it accesses no rows.
;! shows: leaves alone
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 8 --remarks strip-mine-rows
;! launch: 16 / 8
;! arg a: arange(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %start = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi i32 [ %start, %entry ], [ %s.next, %loop ]
  %s.next = mul i32 %s, 3
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop, label %exit

exit:
  %r = phi i32 [ %s.next, %loop ]
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
  %start = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %loop.simd

loop.simd:
  %k = phi i32 [ 0, %entry.simd ], [ %k.next, %loop.simd ]
  %s = phi <8 x i32> [ %start, %entry.simd ], [ %s.next, %loop.simd ]
  %s.next = mul <8 x i32> %s, splat (i32 3)
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 9
  br i1 %again, label %loop.simd, label %exit.simd

exit.simd:
  %r = phi <8 x i32> [ %s.next, %loop.simd ]
  store <8 x i32> %r, ptr addrspace(1) %p, align 4
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
