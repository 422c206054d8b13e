; Volatile accesses are made by one work-item after the other, which operations across lanes do not allow.
;! shows: refuses
;! opt: -p sub-groups-to-lanes --local-size 32
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)
; ---- expected
; weft opt: -: sub-groups cannot be SIMD lanes: a region cannot run in lanes: work-items share private memory
