; Constant expressions on a local variable become instructions, once for each edge of a phi.
;! shows: fires
;! opt: -p locals-to-arguments
;! launch: 4 / 4
;! arg a: array([0, 1, 2, 3], int32)
@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 7, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @k.t, i64 0, i64 1), align 4
  store i32 9, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @k.t, i64 0, i64 2), align 4
  switch i32 %v, label %other [
    i32 0, label %end
    i32 2, label %end
  ]

other:
  br label %end

end:
  %t = phi ptr addrspace(3) [ getelementptr ([4 x i32], ptr addrspace(3) @k.t, i64 0, i64 1), %entry ], [ getelementptr ([4 x i32], ptr addrspace(3) @k.t, i64 0, i64 1), %entry ], [ getelementptr ([4 x i32], ptr addrspace(3) @k.t, i64 0, i64 2), %other ]
  %w = load i32, ptr addrspace(3) %t, align 4
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %k.t) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %0 = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 1
  store i32 7, ptr addrspace(3) %0, align 4
  %1 = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 2
  store i32 9, ptr addrspace(3) %1, align 4
  %2 = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 1
  switch i32 %v, label %other [
    i32 0, label %end
    i32 2, label %end
  ]

other:
  %3 = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 2
  br label %end

end:
  %t = phi ptr addrspace(3) [ %2, %entry ], [ %2, %entry ], [ %3, %other ]
  %w = load i32, ptr addrspace(3) %t, align 4
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
