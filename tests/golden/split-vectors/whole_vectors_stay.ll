; What is only computed with as a whole stays as it is.
;! shows: refuses
;! opt: -p split-vectors --remarks split-vectors
;! launch: 4 / 4
;! arg a: arange(16, dtype=float32).reshape(4, 4)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %s = fadd <4 x float> %v, splat (float 1.000000e+00)
  store <4 x float> %s, ptr addrspace(1) %p, align 16
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %s = fadd <4 x float> %v, splat (float 1.000000e+00)
  store <4 x float> %s, ptr addrspace(1) %p, align 16
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-vectors: @k: Kept: vectors are not split: components are mixed (0) no more often than moved (2)
