; Thirds, exponents beyond 8 and powr to the power of 0, which may be a NaN, are left to the library.
;! shows: refuses
;! opt: -p expand-powers --remarks expand-powers
define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %a = load float, ptr addrspace(1) %x, align 4
  %b = call float @_Z3powff(float %a, float 3.250000e+00)
  %c = call float @_Z4pownfi(float %b, i32 9)
  %d = call float @_Z4powrff(float %c, float 0.000000e+00)
  store float %d, ptr addrspace(1) %x, align 4
  ret void
}

declare float @_Z3powff(float, float)

declare float @_Z4pownfi(float, i32)

declare float @_Z4powrff(float, float)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %a = load float, ptr addrspace(1) %x, align 4
  %b = call float @_Z3powff(float %a, float 3.250000e+00)
  %c = call float @_Z4pownfi(float %b, i32 9)
  %d = call float @_Z4powrff(float %c, float 0.000000e+00)
  store float %d, ptr addrspace(1) %x, align 4
  ret void
}

declare float @_Z3powff(float, float)

declare float @_Z4pownfi(float, i32)

declare float @_Z4powrff(float, float)
; missed: expand-powers: @k: OtherExponent: _Z3powff with the exponent 3.25 is left to the library
; missed: expand-powers: @k: OtherExponent: _Z4pownfi with the exponent 9 is left to the library
; missed: expand-powers: @k: OtherExponent: _Z4powrff with the exponent 0 is left to the library
