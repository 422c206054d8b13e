; One call of one function is inlined, as the library's definition says.
;! shows: leaves alone
;! opt: -p keep-calls
define void @k(ptr addrspace(1) %a) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %y = call float @_Z4fabsf(float %x)
  store float %y, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z4fabsf(float)
; ---- expected

define void @k(ptr addrspace(1) %a) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %y = call float @_Z4fabsf(float %x)
  store float %y, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z4fabsf(float)
