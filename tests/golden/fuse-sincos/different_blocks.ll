; Only one path computes the cosine: computing it always would slow down the other path.
;! shows: refuses
;! opt: -p fuse-sincos --remarks fuse-sincos
define spir_kernel void @k(ptr addrspace(1) %a, i1 %c) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %s = call float @_Z3sinf(float %x)
  store float %s, ptr addrspace(1) %a, align 4
  br i1 %c, label %then, label %exit

then:
  %y = call float @_Z3cosf(float %x)
  store float %y, ptr addrspace(1) %a, align 4
  br label %exit

exit:
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i1 %c) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %s = call float @_Z3sinf(float %x)
  store float %s, ptr addrspace(1) %a, align 4
  br i1 %c, label %then, label %exit

then:
  %y = call float @_Z3cosf(float %x)
  store float %y, ptr addrspace(1) %a, align 4
  br label %exit

exit:
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)
; missed: fuse-sincos: @k: DifferentBlocks: sin and cos of the same argument are in different blocks
