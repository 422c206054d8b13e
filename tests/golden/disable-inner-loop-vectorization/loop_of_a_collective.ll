; The loop by which the first work-item adds up the values of the group stays LLVM's to vectorize.
;! shows: leaves alone
;! opt: -p lower-group-functions,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,disable-inner-loop-vectorization --local-size 4
;! launch: 4 / 4
;! arg a: arange(4, dtype=float32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %sum = call float @_Z21work_group_reduce_addf(float %x)
  store float %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare float @_Z21work_group_reduce_addf(float)
; ---- expected

@weft.items.float = external addrspace(3) global [0 x float]
@weft.result.float = external addrspace(3) global float

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %context, i64 0
  %weft.items.float = addrspacecast ptr %0 to ptr addrspace(3)
  %1 = alloca float, align 4
  %weft.result.float = addrspacecast ptr %1 to ptr addrspace(3)
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

barrier:
  br label %region.1.pre

barrier.1:
  br label %region.2.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %lid.x = zext nneg i32 %x to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid.x
  br label %entry.1

entry.1:
  %x.1 = load float, ptr addrspace(1) %p, align 4, !llvm.access.group !3
  %own = getelementptr inbounds float, ptr addrspace(3) %weft.items.float, i64 %lid.x
  store float %x.1, ptr addrspace(3) %own, align 4, !llvm.access.group !3
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %2 = icmp ult i32 %x.next, 4
  br i1 %2, label %region.0.x, label %region.0.end, !llvm.loop !8

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.item

region.1.item:
  br label %after

after:
  %first = icmp eq i64 0, 0
  br i1 %first, label %reduce, label %reduce.done

reduce:
  %3 = mul i64 4, 1
  %items = mul i64 %3, 1
  br label %header

header:
  %i = phi i64 [ 0, %reduce ], [ %i.next, %body ]
  %value = phi float [ 0x8000000000000000, %reduce ], [ %5, %body ]
  %more = icmp ult i64 %i, %items
  br i1 %more, label %body, label %exit

body:
  %4 = getelementptr inbounds float, ptr addrspace(3) %weft.items.float, i64 %i
  %element = load float, ptr addrspace(3) %4, align 4, !llvm.access.group !9
  %5 = fadd reassoc float %value, %element
  %i.next = add nuw nsw i64 %i, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi float [ %value, %header ]
  store float %last, ptr addrspace(3) %weft.result.float, align 4, !llvm.access.group !9
  br label %reduce.done

reduce.done:
  br label %region.1.end

region.1.end:
  br label %barrier.1

region.2.pre:
  br label %region.2.x

region.2.x:
  %x.2 = phi i32 [ 0, %region.2.pre ], [ %x.next.1, %region.2.x.latch ]
  %lid.x.1 = zext nneg i32 %x.2 to i64
  %p.1 = getelementptr float, ptr addrspace(1) %a, i64 %lid.x.1
  br label %after.1

after.1:
  %sum = load float, ptr addrspace(3) %weft.result.float, align 4, !weft.uniform !2, !llvm.access.group !10
  store float %sum, ptr addrspace(1) %p.1, align 4, !llvm.access.group !10
  br label %region.2.x.latch

region.2.x.latch:
  %x.next.1 = add nuw nsw i32 %x.2, 1
  %6 = icmp ult i32 %x.next.1, 4
  br i1 %6, label %region.2.x, label %region.2.end, !llvm.loop !15

region.2.end:
  br label %exit.barrier
}


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
!3 = distinct !{}
!4 = !{!"llvm.loop.parallel_accesses", !3}
!5 = !{!"llvm.loop.mustprogress"}
!6 = !{!"weft.work_items"}
!7 = !{!"llvm.loop.unroll.disable"}
!8 = distinct !{!8, !4, !5, !6, !7}
!9 = distinct !{}
!10 = distinct !{}
!11 = !{!"llvm.loop.parallel_accesses", !10}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"weft.work_items"}
!14 = !{!"llvm.loop.unroll.disable"}
!15 = distinct !{!15, !11, !12, !13, !14}
