; A function that a kernel calls is inlined, and variables become values.
;! shows: fires
;! opt: -p canonical
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
define i32 @twice(i32 %x) #0 {
entry:
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  %y = load i32, ptr %v, align 4
  %d = mul i32 %y, 2
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

attributes #0 = { nounwind }
; ---- expected
source_filename = "<string>"

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %d.i = shl i32 %v, 1
  store i32 %d.i, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
