; Whose pair it is that is loaded is not known.
;! shows: refuses
;! opt: -p split-private-vectors --remarks split-private-vectors
;! launch: 4 / 4
;! arg out: zeros((4, 2), int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %pairs = alloca [2 x <2 x i32>], align 8
  %more = alloca [2 x <2 x i32>], align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %n = trunc i64 %i to i32
  store <2 x i32> <i32 1, i32 2>, ptr %pairs, align 8
  store <2 x i32> <i32 3, i32 4>, ptr %more, align 8
  %c = icmp ult i32 %n, 2
  %p = select i1 %c, ptr %pairs, ptr %more
  %v = load <2 x i32>, ptr %p, align 8
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %pairs = alloca [2 x <2 x i32>], align 8
  %more = alloca [2 x <2 x i32>], align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %n = trunc i64 %i to i32
  store <2 x i32> <i32 1, i32 2>, ptr %pairs, align 8
  store <2 x i32> <i32 3, i32 4>, ptr %more, align 8
  %c = icmp ult i32 %n, 2
  %p = select i1 %c, ptr %pairs, ptr %more
  %v = load <2 x i32>, ptr %p, align 8
  %q = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %i
  store <2 x i32> %v, ptr addrspace(1) %q, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-private-vectors: @k: NotByVectors: a private array of 16 bytes has accesses other than loads and stores of one vector type
; missed: split-private-vectors: @k: NotByVectors: a private array of 16 bytes has accesses other than loads and stores of one vector type
