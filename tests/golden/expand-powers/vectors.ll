; All elements of a vector have the exponent 2.
;! shows: fires
;! opt: -p expand-powers
define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %v = load <4 x float>, ptr addrspace(1) %x, align 16
  %a = call <4 x float> @_Z3powDv4_fS_(<4 x float> %v, <4 x float> <float 2.0, float 2.0, float 2.0, float 2.0>)
  %b = call <4 x float> @_Z4pownDv4_fDv4_i(<4 x float> %a, <4 x i32> <i32 2, i32 2, i32 2, i32 2>)
  store <4 x float> %b, ptr addrspace(1) %x, align 16
  ret void
}

declare <4 x float> @_Z3powDv4_fS_(<4 x float>, <4 x float>)

declare <4 x float> @_Z4pownDv4_fDv4_i(<4 x float>, <4 x i32>)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %v = load <4 x float>, ptr addrspace(1) %x, align 16
  %a = fmul <4 x float> %v, %v
  %b = fmul <4 x float> %a, %a
  store <4 x float> %b, ptr addrspace(1) %x, align 16
  ret void
}
