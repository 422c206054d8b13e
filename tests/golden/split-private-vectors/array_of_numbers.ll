; The elements are numbers: a pair of them that is loaded does not make it an array of vectors.
;! shows: leaves alone
;! opt: -p split-private-vectors --remarks split-private-vectors
;! launch: 4 / 4
;! arg out: zeros((4, 2), int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %numbers = alloca [4 x i32], align 16
  %i = call i64 @_Z13get_global_idj(i32 0)
  %n = trunc i64 %i to i32
  %p = getelementptr i32, ptr %numbers, i64 %i
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %numbers, align 16
  store i32 %n, ptr %p, align 4
  %v = load <2 x i32>, ptr %numbers, align 8
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %numbers = alloca [4 x i32], align 16
  %i = call i64 @_Z13get_global_idj(i32 0)
  %n = trunc i64 %i to i32
  %p = getelementptr i32, ptr %numbers, i64 %i
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %numbers, align 16
  store i32 %n, ptr %p, align 4
  %v = load <2 x i32>, ptr %numbers, align 8
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
