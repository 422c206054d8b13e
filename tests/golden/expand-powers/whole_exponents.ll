; Repeated squaring multiplies; a negative exponent starts from the reciprocal, so that no product overflows early.
;! shows: fires
;! opt: -p expand-powers
define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %py = getelementptr double, ptr addrspace(1) %y, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %b = load double, ptr addrspace(1) %py, align 8
  %a3 = call float @_Z3powff(float %a, float 3.0)
  %b5 = call double @_Z4powndi(double %b, i32 -5)
  %one = call float @_Z4pownfi(float %a, i32 0)
  %same = call float @_Z3powff(float %one, float 1.0)
  %sum = fadd float %a3, %same
  store float %sum, ptr addrspace(1) %px, align 4
  store double %b5, ptr addrspace(1) %py, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare float @_Z3powff(float, float)

declare float @_Z4pownfi(float, i32)

declare double @_Z4powndi(double, i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %id
  %py = getelementptr double, ptr addrspace(1) %y, i64 %id
  %a = load float, ptr addrspace(1) %px, align 4
  %b = load double, ptr addrspace(1) %py, align 8
  %0 = fmul float %a, %a
  %a3 = fmul float %a, %0
  %1 = fdiv double 1.000000e+00, %b
  %2 = fmul double %1, %1
  %3 = fmul double %2, %2
  %b5 = fmul double %1, %3
  %sum = fadd float %a3, 1.000000e+00
  store float %sum, ptr addrspace(1) %px, align 4
  store double %b5, ptr addrspace(1) %py, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
