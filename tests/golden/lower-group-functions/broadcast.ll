; The ids of the work-item become its place among all.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: (4, 3) / (2, 3)
;! arg a: arange(12, dtype=int32)
;! arg y: 2
define spir_kernel void @k(ptr addrspace(1) %a, i64 %y) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z20work_group_broadcastimm(i32 %x, i64 1, i64 %y)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i32 @_Z20work_group_broadcastimm(i32, i64, i64)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]
@weft.result.i32 = external addrspace(3) global i32

define spir_kernel void @k(ptr addrspace(1) %a, i64 %y) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %1, 0
  br i1 %first, label %broadcast, label %broadcast.done

broadcast:
  %2 = call i64 @_Z14get_local_sizej(i32 0)
  %3 = mul i64 %y, %2
  %4 = add i64 %3, 1
  %5 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %4
  %element = load i32, ptr addrspace(3) %5, align 4
  store i32 %element, ptr addrspace(3) @weft.result.i32, align 4
  br label %broadcast.done

broadcast.done:
  call void @weft.barrier()
  %r = load i32, ptr addrspace(3) @weft.result.i32, align 4, !weft.uniform !0
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{}
