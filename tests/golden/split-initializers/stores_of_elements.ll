; Elements are stored one by one, and a number that is no constant stays whole.
;! shows: leaves alone
;! opt: -p split-initializers --remarks split-initializers
;! launch: 4 / 4
;! arg out: zeros(4, int16)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %m = alloca [4 x i16], align 2
  %copy = alloca [4 x i16], align 8
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr %copy, align 8
  store i16 5, ptr %m, align 2
  %p = getelementptr i16, ptr %m, i64 1
  store i16 6, ptr %p, align 2
  %half = lshr i64 %id, 1
  %r = getelementptr i16, ptr %m, i64 %half
  %found = load i16, ptr %r, align 2
  %c = getelementptr i16, ptr %copy, i64 %half
  %number = load i16, ptr %c, align 2
  %sum = add i16 %found, %number
  %q = getelementptr i16, ptr addrspace(1) %out, i64 %id
  store i16 %sum, ptr addrspace(1) %q, align 2
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %m = alloca [4 x i16], align 2
  %copy = alloca [4 x i16], align 8
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr %copy, align 8
  store i16 5, ptr %m, align 2
  %p = getelementptr i16, ptr %m, i64 1
  store i16 6, ptr %p, align 2
  %half = lshr i64 %id, 1
  %r = getelementptr i16, ptr %m, i64 %half
  %found = load i16, ptr %r, align 2
  %c = getelementptr i16, ptr %copy, i64 %half
  %number = load i16, ptr %c, align 2
  %sum = add i16 %found, %number
  %q = getelementptr i16, ptr addrspace(1) %out, i64 %id
  store i16 %sum, ptr addrspace(1) %q, align 2
  ret void
}

declare i64 @_Z13get_global_idj(i32)
