; A loop carries as many components as there are no registers for: the vectors stay whole, though two are mixed.
;! shows: refuses
;! opt: -p split-vectors --lanes 4 --remarks split-vectors
;! launch: 4 / 4
;! arg a: arange(64, dtype=float32).reshape(4, 16)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <16 x float>, ptr addrspace(1) %p, align 64
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %next, %body ]
  %t = phi <16 x float> [ %v, %entry ], [ %sum, %body ]
  %more = icmp slt i32 %n, 3
  br i1 %more, label %body, label %exit

body:
  %sum = fadd <16 x float> %s, %t
  %x = extractelement <16 x float> %sum, i64 3
  %y = fmul float %x, 5.000000e-01
  %next = insertelement <16 x float> %sum, float %y, i64 1
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r = phi <16 x float> [ %s, %header ]
  store <16 x float> %r, ptr addrspace(1) %p, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <16 x float>, ptr addrspace(1) %p, align 64
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %next, %body ]
  %t = phi <16 x float> [ %v, %entry ], [ %sum, %body ]
  %more = icmp slt i32 %n, 3
  br i1 %more, label %body, label %exit

body:
  %sum = fadd <16 x float> %s, %t
  %x = extractelement <16 x float> %sum, i64 3
  %y = fmul float %x, 5.000000e-01
  %next = insertelement <16 x float> %sum, float %y, i64 1
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r = phi <16 x float> [ %s, %header ]
  store <16 x float> %r, ptr addrspace(1) %p, align 64
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-vectors: @k: Carried: vectors are not split: a loop carries 32 components in 16 registers
