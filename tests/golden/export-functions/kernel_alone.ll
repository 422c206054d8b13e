; A kernel that calls no function keeps its module.
;! shows: leaves alone
;! opt: -p export-functions
@table = internal addrspace(2) constant i32 3, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %y = load i32, ptr addrspace(2) @table, align 4
  store i32 %y, ptr addrspace(1) %a, align 4
  ret void
}
; ---- expected

@table = internal addrspace(2) constant i32 3, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %y = load i32, ptr addrspace(2) @table, align 4
  store i32 %y, ptr addrspace(1) %a, align 4
  ret void
}
