; The sine and the cosine of one angle are one call; the sine of another angle, or of other promises, stays.
;! shows: fires
;! opt: -p fuse-sincos --remarks fuse-sincos
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %c = call float @_Z3cosf(float %x)
  %p = getelementptr float, ptr addrspace(1) %a, i64 1
  %y = load float, ptr addrspace(1) %p, align 4
  %s = call float @_Z3sinf(float %x)
  %t = call float @_Z3sinf(float %y)
  %u = call nnan float @_Z3cosf(float %y)
  %d = fsub float %c, %s
  %e = fsub float %t, %u
  store float %d, ptr addrspace(1) %a, align 4
  store float %e, ptr addrspace(1) %p, align 4
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %cosine = alloca float, align 4
  %x = load float, ptr addrspace(1) %a, align 4
  %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %cosine)
  %c = load float, ptr %cosine, align 4
  %p = getelementptr float, ptr addrspace(1) %a, i64 1
  %y = load float, ptr addrspace(1) %p, align 4
  %t = call float @_Z3sinf(float %y)
  %u = call nnan float @_Z3cosf(float %y)
  %d = fsub float %c, %s
  %e = fsub float %t, %u
  store float %d, ptr addrspace(1) %a, align 4
  store float %e, ptr addrspace(1) %p, align 4
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)

declare float @_Z6sincosfPU9CLprivatef(float, ptr)
; passed: fuse-sincos: @k: Fused: sin and cos of the same argument fused into one call
; missed: fuse-sincos: @k: DifferentFlags: sin and cos of the same argument have different fast-math flags
