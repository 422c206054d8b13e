; Sub-groups of 16 do not fit into rows of 20 work-items.
;! shows: refuses
;! opt: -p sub-groups-to-lanes --local-size 20
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %r = call i32 @_Z20sub_group_reduce_mini(i32 1)
  store i32 %r, ptr addrspace(1) %a, align 4
  ret void
}

declare i32 @_Z20sub_group_reduce_mini(i32)
; ---- expected
; weft opt: -: sub-groups cannot be SIMD lanes: sub-groups of 16 do not divide rows of 20 work-items
