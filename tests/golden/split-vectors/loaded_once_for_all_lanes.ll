; A vector at a uniform address is loaded once for all lanes, so it does not count as moved.
;! shows: fires
;! opt: -p split-vectors
;! launch: 4 / 4
;! arg points: arange(8, dtype=float32)
;! arg out: zeros(4, float32)
;! arg n: 4
define spir_kernel void @k(ptr addrspace(1) %points, ptr addrspace(1) %out, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %own.p = getelementptr <2 x float>, ptr addrspace(1) %points, i64 %i
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %index = zext i32 %j to i64
  %other.p = getelementptr <2 x float>, ptr addrspace(1) %points, i64 %index
  %other = load <2 x float>, ptr addrspace(1) %other.p, align 8
  %own = load <2 x float>, ptr addrspace(1) %own.p, align 8
  %d = fsub <2 x float> %other, %own
  %x = extractelement <2 x float> %d, i64 0
  %y = extractelement <2 x float> %d, i64 1
  %area = fmul float %x, %y
  %more = fadd float %sum, %area
  %next = add i32 %j, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %done

done:
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %points, ptr addrspace(1) %out, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %own.p = getelementptr <2 x float>, ptr addrspace(1) %points, i64 %i
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.000000e+00, %entry ], [ %more, %loop ]
  %index = zext i32 %j to i64
  %other.p = getelementptr <2 x float>, ptr addrspace(1) %points, i64 %index
  %other = load <2 x float>, ptr addrspace(1) %other.p, align 8
  %0 = extractelement <2 x float> %other, i32 0
  %1 = extractelement <2 x float> %other, i32 1
  %own = load <2 x float>, ptr addrspace(1) %own.p, align 8
  %2 = extractelement <2 x float> %own, i32 0
  %3 = extractelement <2 x float> %own, i32 1
  %d.0 = fsub float %0, %2
  %d.1 = fsub float %1, %3
  %area = fmul float %d.0, %d.1
  %more = fadd float %sum, %area
  %next = add i32 %j, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %done

done:
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
