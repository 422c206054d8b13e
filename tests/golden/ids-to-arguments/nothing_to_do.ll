; Functions that query no ids keep their parameters; queries in kernels stay.
;! shows: leaves alone
;! opt: -p ids-to-arguments
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
define i32 @twice(i32 %x) {
entry:
  %d = mul i32 %x, 2
  ret i32 %d
}

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = call i32 @twice(i32 %v)
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define i32 @twice(i32 %x) {
entry:
  %d = mul i32 %x, 2
  ret i32 %d
}

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = call i32 @twice(i32 %v)
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
