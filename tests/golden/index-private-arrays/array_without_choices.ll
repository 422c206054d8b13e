; All addresses are the array's and a number.
;! shows: leaves alone
;! opt: -p index-private-arrays --remarks index-private-arrays
;! launch: 4 / 4
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr %v, i64 %id
  store i32 7, ptr %p, align 4
  %r = getelementptr i32, ptr %v, i64 %id
  %found = load i32, ptr %r, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr %v, i64 %id
  store i32 7, ptr %p, align 4
  %r = getelementptr i32, ptr %v, i64 %id
  %found = load i32, ptr %r, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
