; A vector of which the program selects a component by number is an array of its components.
;! shows: fires
;! opt: -p split-private-vectors --remarks split-private-vectors
;! launch: 4 / 4
;! arg a: arange(16, dtype=int32).reshape(4, 4)
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %vector = alloca <4 x i32>, align 16
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  %twice = add <4 x i32> %v, %v
  store <4 x i32> %twice, ptr %vector, align 16
  %q = getelementptr i32, ptr %vector, i64 %i
  %x = load i32, ptr %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %vector = alloca <4 x i32>, align 16
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  %twice = add <4 x i32> %v, %v
  %0 = getelementptr inbounds i32, ptr %vector, i32 1
  %1 = getelementptr inbounds i32, ptr %vector, i32 2
  %2 = getelementptr inbounds i32, ptr %vector, i32 3
  %3 = extractelement <4 x i32> %twice, i32 0
  %4 = extractelement <4 x i32> %twice, i32 1
  %5 = extractelement <4 x i32> %twice, i32 2
  %6 = extractelement <4 x i32> %twice, i32 3
  store i32 %3, ptr %vector, align 4
  store i32 %4, ptr %0, align 4
  store i32 %5, ptr %1, align 4
  store i32 %6, ptr %2, align 4
  %q = getelementptr i32, ptr %vector, i64 %i
  %x = load i32, ptr %q, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %x, ptr addrspace(1) %o, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: split-private-vectors: @k: Split: a private array of 16 bytes is accessed by vector components
