; A scalar becomes a vector that fills a register: that is a broadcast, and no reason to split the vectors.
;! shows: refuses
;! opt: -p split-vectors --remarks split-vectors
;! launch: 4 / 4
;! arg a: arange(4, dtype=float32)
;! arg out: ones((4, 16), float32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr <16 x float>, ptr addrspace(1) %out, i64 %i
  %f = load float, ptr addrspace(1) %p, align 4
  %first = insertelement <16 x float> poison, float %f, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %g = fadd float %f, 1.000000e+00
  %second = insertelement <16 x float> poison, float %g, i64 0
  %more = shufflevector <16 x float> %second, <16 x float> poison, <16 x i32> zeroinitializer
  %v = load <16 x float>, ptr addrspace(1) %q, align 64
  %product = fmul <16 x float> %v, %all
  %twice = fadd <16 x float> %product, %more
  store <16 x float> %twice, ptr addrspace(1) %q, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr <16 x float>, ptr addrspace(1) %out, i64 %i
  %f = load float, ptr addrspace(1) %p, align 4
  %first = insertelement <16 x float> poison, float %f, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %g = fadd float %f, 1.000000e+00
  %second = insertelement <16 x float> poison, float %g, i64 0
  %more = shufflevector <16 x float> %second, <16 x float> poison, <16 x i32> zeroinitializer
  %v = load <16 x float>, ptr addrspace(1) %q, align 64
  %product = fmul <16 x float> %v, %all
  %twice = fadd <16 x float> %product, %more
  store <16 x float> %twice, ptr addrspace(1) %q, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-vectors: @k: Kept: vectors are not split: components are mixed (0) no more often than moved (2)
