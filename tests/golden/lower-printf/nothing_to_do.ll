; A kernel that prints nothing stays as it is.
;! shows: leaves alone
;! opt: -p lower-printf
;! launch: 2 / 2
;! arg a: array([1, 2], int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
  store i32 7, ptr addrspace(1) %a, align 4
  ret void
}
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
  store i32 7, ptr addrspace(1) %a, align 4
  ret void
}
