; A vector that fills a register gains nothing from lanes: the array stays one of whole vectors.
;! shows: refuses
;! opt: -p split-private-vectors --remarks split-private-vectors
;! launch: 4 / 4
;! arg out: zeros((4, 16), int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %rows = alloca [2 x <16 x i32>], align 64
  %i = call i64 @_Z13get_global_idj(i32 0)
  %odd = and i64 %i, 1
  %here = getelementptr <16 x i32>, ptr %rows, i64 %odd
  store <16 x i32> splat (i32 3), ptr %here, align 64
  %v = load <16 x i32>, ptr %here, align 64
  %q = getelementptr <16 x i32>, ptr addrspace(1) %out, i64 %i
  store <16 x i32> %v, ptr addrspace(1) %q, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %rows = alloca [2 x <16 x i32>], align 64
  %i = call i64 @_Z13get_global_idj(i32 0)
  %odd = and i64 %i, 1
  %here = getelementptr <16 x i32>, ptr %rows, i64 %odd
  store <16 x i32> splat (i32 3), ptr %here, align 64
  %v = load <16 x i32>, ptr %here, align 64
  %q = getelementptr <16 x i32>, ptr addrspace(1) %out, i64 %i
  store <16 x i32> %v, ptr addrspace(1) %q, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-private-vectors: @k: FillsRegister: a private array of 128 bytes is not split: its vectors fill a register
