; Pairs are loaded and stored by components; what takes a whole pair gets one that is put together.
;! shows: fires
;! opt: -p split-private-vectors --remarks split-private-vectors
;! launch: 4 / 4
;! arg a: arange(16, dtype=int32).reshape(8, 2)
;! arg out: zeros((4, 2), int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %pairs = alloca [2 x <2 x i32>], align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x i32>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x i32>, ptr addrspace(1) %p, align 8
  %odd = and i64 %i, 1
  %here = getelementptr <2 x i32>, ptr %pairs, i64 %odd
  store <2 x i32> %v, ptr %here, align 8
  %even = xor i64 %odd, 1
  %there = getelementptr <2 x i32>, ptr %pairs, i64 %even
  %n = trunc i64 %i to i32
  %one = insertelement <2 x i32> poison, i32 %n, i32 0
  %two = insertelement <2 x i32> %one, i32 7, i32 1
  store <2 x i32> %two, ptr %there, align 8
  %w = load <2 x i32>, ptr %pairs, align 8
  %x = extractelement <2 x i32> %w, i32 0
  %second = getelementptr i32, ptr %here, i64 1
  store i32 %x, ptr %second, align 4
  %z = load <2 x i32>, ptr %here, align 8
  %sum = add <2 x i32> %z, %w
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %sum, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %pairs = alloca [2 x <2 x i32>], align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x i32>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x i32>, ptr addrspace(1) %p, align 8
  %odd = and i64 %i, 1
  %here = getelementptr <2 x i32>, ptr %pairs, i64 %odd
  %0 = getelementptr inbounds i32, ptr %here, i32 1
  %1 = extractelement <2 x i32> %v, i32 0
  %2 = extractelement <2 x i32> %v, i32 1
  store i32 %1, ptr %here, align 4
  store i32 %2, ptr %0, align 4
  %even = xor i64 %odd, 1
  %there = getelementptr <2 x i32>, ptr %pairs, i64 %even
  %n = trunc i64 %i to i32
  %one = insertelement <2 x i32> poison, i32 %n, i32 0
  %two = insertelement <2 x i32> %one, i32 7, i32 1
  %3 = getelementptr inbounds i32, ptr %there, i32 1
  store i32 %n, ptr %there, align 4
  store i32 7, ptr %3, align 4
  %4 = getelementptr inbounds i32, ptr %pairs, i32 1
  %5 = load i32, ptr %pairs, align 4
  %6 = load i32, ptr %4, align 4
  %7 = insertelement <2 x i32> poison, i32 %5, i32 0
  %8 = insertelement <2 x i32> %7, i32 %6, i32 1
  %second = getelementptr i32, ptr %here, i64 1
  store i32 %5, ptr %second, align 4
  %9 = getelementptr inbounds i32, ptr %here, i32 1
  %10 = load i32, ptr %here, align 4
  %11 = load i32, ptr %9, align 4
  %12 = insertelement <2 x i32> poison, i32 %10, i32 0
  %13 = insertelement <2 x i32> %12, i32 %11, i32 1
  %sum = add <2 x i32> %13, %8
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %sum, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: split-private-vectors: @k: Split: a private array of 16 bytes is accessed by vector components
