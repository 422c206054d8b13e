; A built-in without memory effects is as uniform as its operands; another one is divergent.
;! opt: --analysis divergence
define spir_kernel void @k(ptr addrspace(1) %a, float %x) {
entry:
  %s = call float @_Z3sinf(float %x)
  %r = call float @read_somewhere(float %x)
  %sum = fadd float %s, %r
  store float %sum, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z3sinf(float) #0
declare float @read_somewhere(float)

attributes #0 = { convergent memory(none) }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, float %x) {
entry:
  %s = call float @_Z3sinf(float %x)                                    ; uniform
  %r = call float @read_somewhere(float %x)                             ; divergent
  %sum = fadd float %s, %r                                              ; divergent
  store float %sum, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z3sinf(float) #0

declare float @read_somewhere(float)

attributes #0 = { convergent memory(none) }
