; Factors of a negative half are not reassociated: x^3 would overflow where x^-1.5 does not.
;! shows: fires
;! opt: -p expand-powers --remarks expand-powers
define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %b = call fast float @_Z3powff(float %a, float -1.5)
  %c = call reassoc nsz arcp contract afn float @_Z4powrff(float %b, float -2.5)
  %d = call fast float @_Z3powff(float %c, float 1.5)
  store float %d, ptr addrspace(1) %px, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z3powff(float, float)

declare float @_Z4powrff(float, float)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %0 = fadd nnan ninf nsz arcp contract afn float %a, 0.000000e+00
  %1 = fcmp oeq float %a, 0xFFF0000000000000
  %2 = select i1 %1, float 0x7FF0000000000000, float %0
  %3 = call nnan ninf nsz arcp contract afn float @_Z4sqrtf(float %2)
  %4 = fdiv nnan ninf nsz arcp contract afn float 1.000000e+00, %2
  %5 = fdiv nnan ninf nsz arcp contract afn float 1.000000e+00, %3
  %b = fmul nnan ninf nsz arcp contract afn float %5, %4
  %6 = fadd nsz arcp contract afn float %b, 0.000000e+00
  %7 = call nsz arcp contract afn float @_Z4sqrtf(float %6)
  %8 = fdiv nsz arcp contract afn float 1.000000e+00, %6
  %9 = fdiv nsz arcp contract afn float 1.000000e+00, %7
  %10 = fmul nsz arcp contract afn float %8, %8
  %11 = fmul nsz arcp contract afn float %9, %10
  %12 = fcmp olt float %b, 0.000000e+00
  %c = select i1 %12, float 0x7FF8000000000000, float %11
  %13 = fadd fast float %c, 0.000000e+00
  %14 = fcmp oeq float %c, 0xFFF0000000000000
  %15 = select i1 %14, float 0x7FF0000000000000, float %13
  %16 = call fast float @_Z4sqrtf(float %15)
  %d = fmul fast float %16, %15
  store float %d, ptr addrspace(1) %px, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z4sqrtf(float)
; passed: expand-powers: @k: Expanded: _Z3powff with the exponent -1.5 expanded into multiplications
; passed: expand-powers: @k: Expanded: _Z4powrff with the exponent -2.5 expanded into multiplications
; passed: expand-powers: @k: Expanded: _Z3powff with the exponent 1.5 expanded into multiplications
