; The first work-item adds up what all have written; the result is uniform.
;! shows: fires
;! opt: -p lower-group-functions
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

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds float, ptr addrspace(3) @weft.items.float, i64 %0
  store float %x, ptr addrspace(3) %own, align 4
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %1, 0
  br i1 %first, label %reduce, label %reduce.done

reduce:
  %2 = call i64 @_Z14get_local_sizej(i32 0)
  %3 = call i64 @_Z14get_local_sizej(i32 1)
  %4 = call i64 @_Z14get_local_sizej(i32 2)
  %5 = mul i64 %2, %3
  %items = mul i64 %5, %4
  br label %header

header:
  %i.1 = phi i64 [ 0, %reduce ], [ %i.next, %body ]
  %value = phi float [ 0x8000000000000000, %reduce ], [ %7, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %6 = getelementptr inbounds float, ptr addrspace(3) @weft.items.float, i64 %i.1
  %element = load float, ptr addrspace(3) %6, align 4
  %7 = fadd reassoc float %value, %element
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi float [ %value, %header ]
  store float %last, ptr addrspace(3) @weft.result.float, align 4
  br label %reduce.done

reduce.done:
  call void @weft.barrier()
  %r = load float, ptr addrspace(3) @weft.result.float, align 4, !weft.uniform !2
  store float %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
