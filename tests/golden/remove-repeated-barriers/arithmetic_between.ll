; Nothing but arithmetic and a work-item function stands between the first two barriers: the second goes.
;! shows: fires
;! opt: -p remove-repeated-barriers --remarks remove-repeated-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 1)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %j = xor i64 %i, 1
  call void @_Z7barrierj(i32 2)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %v = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2)
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 1)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %j = xor i64 %i, 1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %v = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2)
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32)
; passed: remove-repeated-barriers: @k: Removed: barrier removed: no memory access since the previous one
