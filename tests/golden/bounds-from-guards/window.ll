; `if (x > 0 && x < 6)` as optimizers write it: one comparison of a number that wraps around.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,bounds-from-guards --local-size 8,1,1 --remarks bounds-from-guards
;! launch: 8 / 8
;! arg a: zeros(8, int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %back = add i64 %l, -1
  %c = icmp ult i64 %back, 5
  br i1 %c, label %then, label %exit

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  store i32 1, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  ret void
}

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ %x.next, %region.0.x.latch ], [ 1, %region.0.pre ]
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  br label %then

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.x
  store i32 1, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %exit

exit:
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %0 = icmp ult i32 %x.next, 6
  br i1 %0, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
; passed: bounds-from-guards: @k: Narrowed: loops only where 0 <= lid.x - 1 < 5
