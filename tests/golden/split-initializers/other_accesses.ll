; Some of the elements are also loaded as one number: the store stays.
;! shows: refuses
;! opt: -p split-initializers --remarks split-initializers
;! launch: 4 / 4
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %m = alloca [4 x i16], align 2
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 2533313445167104, ptr %m, align 2
  %p = getelementptr i16, ptr %m, i64 2
  %found = load i32, ptr %p, align 2
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %m = alloca [4 x i16], align 2
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 2533313445167104, ptr %m, align 2
  %p = getelementptr i16, ptr %m, i64 2
  %found = load i32, ptr %p, align 2
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-initializers: @k: OtherTypes: one store initializes 4 elements: kept, since others access 4 bytes
