; A barrier that only some sub-groups reach is none of the work-group.
;! shows: refuses
;! opt: -p sub-groups-to-lanes --local-size 32
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %id = call i32 @_Z16get_sub_group_idv()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %waits, label %exit

waits:
  call void @_Z17sub_group_barrierj(i32 1)
  br label %exit

exit:
  ret void
}

declare i32 @_Z16get_sub_group_idv()

declare void @_Z17sub_group_barrierj(i32)
; ---- expected
; weft opt: -: sub-groups cannot be SIMD lanes: a sub-group barrier may be in divergent code
