; A work-item reads what another one of its sub-group has put into group memory, between two barriers.
;! shows: fires
;! opt: -p lower-sub-group-functions
;! launch: 32 / 32
;! arg a: arange(32, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z21sub_group_shuffle_xorij(i32 %x, i32 5)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z21sub_group_shuffle_xorij(i32, i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @weft.sub_group_barrier()
  %1 = call i32 @_Z22get_sub_group_local_idv()
  %2 = xor i32 %1, 5
  %3 = and i32 %2, 15
  %4 = call i32 @_Z16get_sub_group_idv()
  %5 = zext i32 %4 to i64
  %first.item = mul i64 %5, 16
  %6 = zext i32 %3 to i64
  %7 = add i64 %first.item, %6
  %8 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %7
  %r = load i32, ptr addrspace(3) %8, align 4
  call void @weft.sub_group_barrier()
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z19get_local_linear_idv()

declare void @weft.sub_group_barrier() convergent

declare i32 @_Z22get_sub_group_local_idv()

declare i32 @_Z16get_sub_group_idv()
