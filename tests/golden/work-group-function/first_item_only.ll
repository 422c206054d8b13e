; What the first work-item does alone has no loop; group memory is an array of the context and a stack slot.
;! shows: fires
;! opt: -p lower-group-functions,isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only --local-size 3,1,1
;! launch: 6 / 3
;! arg a: arange(6, dtype=float32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %r = call float @_Z21work_group_reduce_addf(float %x)
  store float %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare float @_Z21work_group_reduce_addf(float)
; ---- expected

@weft.items.float = external addrspace(3) global [0 x float]
@weft.result.float = external addrspace(3) global float

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 715827882) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %context, i64 0
  %weft.items.float = addrspacecast ptr %0 to ptr addrspace(3)
  %1 = alloca float, align 4
  %weft.result.float = addrspacecast ptr %1 to ptr addrspace(3)
  %2 = mul i64 %group.x, 3
  %3 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %3, align 8
  %base.x = add i64 %2, %offset.x
  %4 = trunc i64 %base.x to i32
  %5 = getelementptr inbounds i8, ptr %launch, i64 32
  %offset.y = load i64, ptr %5, align 8
  %base.y = add i64 %group.y, %offset.y
  %6 = trunc i64 %base.y to i32, !weft.id_bits !{i32 29}
  %7 = getelementptr inbounds i8, ptr %launch, i64 40
  %offset.z = load i64, ptr %7, align 8
  %base.z = add i64 %group.z, %offset.z
  %8 = trunc i64 %base.z to i32, !weft.id_bits !{i32 29}
  %global_size.x = load i64, ptr %launch, align 8
  %9 = getelementptr inbounds i8, ptr %launch, i64 8
  %global_size.y = load i64, ptr %9, align 8
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
  %gid.x = add nuw nsw i32 %4, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %10 = sub i64 %gid.x.1, %offset.x
  %gid.y = zext nneg i32 %6 to i64
  %11 = sub i64 %gid.y, %offset.y
  %gid.z = zext nneg i32 %8 to i64
  %12 = sub i64 %gid.z, %offset.z
  %13 = mul i64 %12, %global_size.y
  %14 = add i64 %13, %11
  %15 = mul i64 %14, %global_size.x
  %global.linear = add i64 %15, %10
  %p = getelementptr float, ptr addrspace(1) %a, i64 %global.linear
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %x.1 = load float, ptr addrspace(1) %p, align 4, !llvm.access.group !3
  %own = getelementptr inbounds float, ptr addrspace(3) %weft.items.float, i64 %lid.x
  store float %x.1, ptr addrspace(3) %own, align 4, !llvm.access.group !3
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %16 = icmp ult i32 %x.next, 3
  br i1 %16, label %region.0.x, label %region.0.end, !llvm.loop !7

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
  %17 = mul i64 3, 1
  %items = mul i64 %17, 1
  br label %header

header:
  %i = phi i64 [ 0, %reduce ], [ %i.next, %body ]
  %value = phi float [ 0x8000000000000000, %reduce ], [ %19, %body ]
  %more = icmp ult i64 %i, %items
  br i1 %more, label %body, label %exit

body:
  %18 = getelementptr inbounds float, ptr addrspace(3) %weft.items.float, i64 %i
  %element = load float, ptr addrspace(3) %18, align 4, !llvm.access.group !8
  %19 = fadd reassoc float %value, %element
  %i.next = add nuw nsw i64 %i, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi float [ %value, %header ]
  store float %last, ptr addrspace(3) %weft.result.float, align 4, !llvm.access.group !8
  br label %reduce.done

reduce.done:
  br label %region.1.end

region.1.end:
  br label %barrier.1

region.2.pre:
  br label %region.2.x

region.2.x:
  %x.2 = phi i32 [ 0, %region.2.pre ], [ %x.next.1, %region.2.x.latch ]
  %gid.x.2 = add nuw nsw i32 %4, %x.2, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %20 = sub i64 %gid.x.3, %offset.x
  %gid.y.1 = zext nneg i32 %6 to i64
  %21 = sub i64 %gid.y.1, %offset.y
  %gid.z.1 = zext nneg i32 %8 to i64
  %22 = sub i64 %gid.z.1, %offset.z
  %23 = mul i64 %22, %global_size.y
  %24 = add i64 %23, %21
  %25 = mul i64 %24, %global_size.x
  %global.linear.1 = add i64 %25, %20
  %p.1 = getelementptr float, ptr addrspace(1) %a, i64 %global.linear.1
  br label %after.1

after.1:
  %r = load float, ptr addrspace(3) %weft.result.float, align 4, !weft.uniform !2, !llvm.access.group !9
  store float %r, ptr addrspace(1) %p.1, align 4, !llvm.access.group !9
  br label %region.2.x.latch

region.2.x.latch:
  %x.next.1 = add nuw nsw i32 %x.2, 1
  %26 = icmp ult i32 %x.next.1, 3
  br i1 %26, label %region.2.x, label %region.2.end, !llvm.loop !13

region.2.end:
  br label %exit.barrier
}


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
!3 = distinct !{}
!4 = !{!"llvm.loop.parallel_accesses", !3}
!5 = !{!"llvm.loop.mustprogress"}
!6 = !{!"llvm.loop.unroll.full"}
!7 = distinct !{!7, !4, !5, !6}
!8 = distinct !{}
!9 = distinct !{}
!10 = !{!"llvm.loop.parallel_accesses", !9}
!11 = !{!"llvm.loop.mustprogress"}
!12 = !{!"llvm.loop.unroll.full"}
!13 = distinct !{!13, !10, !11, !12}
