; Barriers and fences are left to other passes.
;! shows: leaves alone
;! opt: -p lower-group-functions
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  call void @_Z18work_group_barrierj12memory_scope(i32 2, i32 1)
  call void @_Z9mem_fencej(i32 1)
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z18work_group_barrierj12memory_scope(i32, i32)

declare void @_Z9mem_fencej(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  call void @_Z18work_group_barrierj12memory_scope(i32 2, i32 1)
  call void @_Z9mem_fencej(i32 1)
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z18work_group_barrierj12memory_scope(i32, i32)

declare void @_Z9mem_fencej(i32)
