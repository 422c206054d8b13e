; A kernel without barriers stays as it is.
;! shows: leaves alone
;! opt: -p isolate-barriers
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}
