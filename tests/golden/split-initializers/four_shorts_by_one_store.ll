; LLVM initializes short m[4] = {0, 9, 9, -1} by one store, and float f[2] = {1, 2} too.
;! shows: fires
;! opt: -p split-initializers --remarks split-initializers
;! launch: 4 / 4
;! arg out: zeros(4, int16)
;! arg sum: zeros(4, float32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %sum) {
entry:
  %m = alloca [4 x i16], align 2
  %f = alloca [2 x float], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 -281436321415168, ptr %m, align 2
  store i64 4611686019492741120, ptr %f, align 4
  %p = getelementptr i16, ptr %m, i64 %id
  %found = load i16, ptr %p, align 2
  %q = getelementptr i16, ptr addrspace(1) %out, i64 %id
  store i16 %found, ptr addrspace(1) %q, align 2
  %half = lshr i64 %id, 1
  %g = getelementptr float, ptr %f, i64 %half
  %number = load float, ptr %g, align 4
  %s = getelementptr float, ptr addrspace(1) %sum, i64 %id
  store float %number, ptr addrspace(1) %s, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %sum) {
entry:
  %m = alloca [4 x i16], align 2
  %f = alloca [2 x float], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i16 0, ptr %m, align 2
  %0 = getelementptr i16, ptr %m, i64 1
  store i16 9, ptr %0, align 2
  %1 = getelementptr i16, ptr %m, i64 2
  store i16 9, ptr %1, align 2
  %2 = getelementptr i16, ptr %m, i64 3
  store i16 -1, ptr %2, align 2
  store float 1.000000e+00, ptr %f, align 4
  %3 = getelementptr float, ptr %f, i64 1
  store float 2.000000e+00, ptr %3, align 4
  %p = getelementptr i16, ptr %m, i64 %id
  %found = load i16, ptr %p, align 2
  %q = getelementptr i16, ptr addrspace(1) %out, i64 %id
  store i16 %found, ptr addrspace(1) %q, align 2
  %half = lshr i64 %id, 1
  %g = getelementptr float, ptr %f, i64 %half
  %number = load float, ptr %g, align 4
  %s = getelementptr float, ptr addrspace(1) %sum, i64 %id
  store float %number, ptr addrspace(1) %s, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: split-initializers: @k: Split: one store initializes 4 elements of a private array: split
; passed: split-initializers: @k: Split: one store initializes 2 elements of a private array: split
