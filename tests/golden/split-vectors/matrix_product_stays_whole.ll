; Lanes have the same number of a row, which is broadcast to a vector once for all lanes: that does not count as mixed.
;! shows: refuses
;! opt: -p split-vectors --remarks split-vectors
;! launch: 4 / 4
;! arg a: arange(3, dtype=float32)
;! arg b: arange(48, dtype=float32)
;! arg c: zeros(16, float32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %row = mul i64 %y, 3
  %at = add i64 %row, %k
  %a.p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %number = load float, ptr addrspace(1) %a.p, align 4
  %first = insertelement <4 x float> poison, float %number, i64 0
  %all = shufflevector <4 x float> %first, <4 x float> poison, <4 x i32> zeroinitializer
  %rows = shl i64 %k, 2
  %place = add i64 %rows, %i
  %b.p = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %place
  %column = load <4 x float>, ptr addrspace(1) %b.p, align 16
  %product = fmul <4 x float> %all, %column
  %more = fadd <4 x float> %sum, %product
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, 3
  br i1 %again, label %loop, label %done

done:
  %last = phi <4 x float> [ %more, %loop ]
  %c.p = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %i
  store <4 x float> %last, ptr addrspace(1) %c.p, align 16
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %row = mul i64 %y, 3
  %at = add i64 %row, %k
  %a.p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %number = load float, ptr addrspace(1) %a.p, align 4
  %first = insertelement <4 x float> poison, float %number, i64 0
  %all = shufflevector <4 x float> %first, <4 x float> poison, <4 x i32> zeroinitializer
  %rows = shl i64 %k, 2
  %place = add i64 %rows, %i
  %b.p = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %place
  %column = load <4 x float>, ptr addrspace(1) %b.p, align 16
  %product = fmul <4 x float> %all, %column
  %more = fadd <4 x float> %sum, %product
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, 3
  br i1 %again, label %loop, label %done

done:
  %last = phi <4 x float> [ %more, %loop ]
  %c.p = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %i
  store <4 x float> %last, ptr addrspace(1) %c.p, align 16
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: split-vectors: @k: Kept: vectors are not split: components are mixed (0) no more often than moved (9)
