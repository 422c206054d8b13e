; Only a function for a whole work-group is kept alone.
;! shows: refuses
;! opt: -p keep-only
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  store i64 %i, ptr addrspace(1) %a, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected
; weft opt: -: keep-only requires whole-group (the function runs a work-group: no barriers, no work-item functions), but in @k %entry still queries one work-item's place
