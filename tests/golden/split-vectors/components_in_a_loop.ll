; A vector carried round a loop, of which components are mixed, becomes scalars; memory is touched as before.
;! shows: fires
;! opt: -p split-vectors
;! launch: 4 / 4
;! arg a: arange(8, dtype=float32).reshape(4, 2)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s = phi <2 x float> [ zeroinitializer, %entry ], [ %next, %body ]
  %more = icmp slt i32 %n, 3
  br i1 %more, label %body, label %exit

body:
  %sum = fadd <2 x float> %s, %v
  %turned = shufflevector <2 x float> %sum, <2 x float> poison, <2 x i32> <i32 1, i32 0>
  %x = extractelement <2 x float> %turned, i64 0
  %y = fmul float %x, 5.000000e-01
  %next = insertelement <2 x float> %turned, float %y, i64 1
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r = phi <2 x float> [ %s, %header ]
  store <2 x float> %r, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %0 = extractelement <2 x float> %v, i32 1
  br label %header

header:
  %n = phi i32 [ 0, %entry ], [ %n.next, %body ]
  %s.0 = phi float [ 0.000000e+00, %entry ], [ %sum.1, %body ]
  %s.1 = phi float [ 0.000000e+00, %entry ], [ %y, %body ]
  %more = icmp slt i32 %n, 3
  br i1 %more, label %body, label %exit

body:
  %sum.1 = fadd float %s.1, %0
  %y = fmul float %sum.1, 5.000000e-01
  %n.next = add nsw i32 %n, 1
  br label %header

exit:
  %r.0 = phi float [ %s.0, %header ]
  %r.1 = phi float [ %s.1, %header ]
  %1 = insertelement <2 x float> poison, float %r.0, i32 0
  %2 = insertelement <2 x float> %1, float %r.1, i32 1
  store <2 x float> %2, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
