; The exponent is an argument, or not the same in all elements.
;! shows: leaves alone
;! opt: -p expand-powers --remarks expand-powers
define spir_kernel void @k(ptr addrspace(1) %x, float %y) {
entry:
  %a = load float, ptr addrspace(1) %x, align 4
  %b = call float @_Z3powff(float %a, float %y)
  %v = insertelement <2 x float> <float 1.000000e+00, float 2.000000e+00>, float %b, i32 0
  %c = call <2 x float> @_Z3powDv2_fS_(<2 x float> %v, <2 x float> <float 2.000000e+00, float 3.000000e+00>)
  store <2 x float> %c, ptr addrspace(1) %x, align 8
  ret void
}

declare float @_Z3powff(float, float)

declare <2 x float> @_Z3powDv2_fS_(<2 x float>, <2 x float>)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x, float %y) {
entry:
  %a = load float, ptr addrspace(1) %x, align 4
  %b = call float @_Z3powff(float %a, float %y)
  %v = insertelement <2 x float> <float 1.000000e+00, float 2.000000e+00>, float %b, i32 0
  %c = call <2 x float> @_Z3powDv2_fS_(<2 x float> %v, <2 x float> <float 2.000000e+00, float 3.000000e+00>)
  store <2 x float> %c, ptr addrspace(1) %x, align 8
  ret void
}

declare float @_Z3powff(float, float)

declare <2 x float> @_Z3powDv2_fS_(<2 x float>, <2 x float>)
