; Queries of ids within the sub-group are left to the work-group function.
;! shows: leaves alone
;! opt: -p lower-sub-group-functions
;! launch: 40 / 20
;! arg a: arange(40, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %lane = call i32 @_Z22get_sub_group_local_idv()
  store i32 %lane, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z22get_sub_group_local_idv()
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %lane = call i32 @_Z22get_sub_group_local_idv()
  store i32 %lane, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z22get_sub_group_local_idv()
