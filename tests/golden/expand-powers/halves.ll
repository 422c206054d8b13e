; A half multiplies by the square root. pow takes -0 as 0 and -infinity as infinity; powr of less than 0 is a NaN.
;! shows: fires
;! opt: -p expand-powers --remarks expand-powers
define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %v) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %pv = getelementptr float, ptr addrspace(1) %v, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %b = load float, ptr addrspace(1) %pv, align 4
  %a15 = call float @_Z4powrff(float %a, float 1.5)
  %b05 = call float @_Z3powff(float %b, float -0.5)
  store float %a15, ptr addrspace(1) %px, align 4
  store float %b05, ptr addrspace(1) %pv, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z3powff(float, float)

declare float @_Z4powrff(float, float)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %v) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %pv = getelementptr float, ptr addrspace(1) %v, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %b = load float, ptr addrspace(1) %pv, align 4
  %0 = fadd float %a, 0.000000e+00
  %1 = call float @_Z4sqrtf(float %0)
  %2 = fmul float %1, %0
  %3 = fcmp olt float %a, 0.000000e+00
  %a15 = select i1 %3, float 0x7FF8000000000000, float %2
  %4 = fadd float %b, 0.000000e+00
  %5 = fcmp oeq float %b, 0xFFF0000000000000
  %6 = select i1 %5, float 0x7FF0000000000000, float %4
  %7 = call float @_Z4sqrtf(float %6)
  %b05 = fdiv float 1.000000e+00, %7
  store float %a15, ptr addrspace(1) %px, align 4
  store float %b05, ptr addrspace(1) %pv, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z4sqrtf(float)
; passed: expand-powers: @k: Expanded: _Z4powrff with the exponent 1.5 expanded into multiplications
; passed: expand-powers: @k: Expanded: _Z3powff with the exponent -0.5 expanded into multiplications
