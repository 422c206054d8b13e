; Each iteration stores to another element: there is nothing to be kept.
;! shows: leaves alone
;! opt: -p promote-to-registers
;! launch: 1 / 1
;! arg c: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %c) {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %k
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, 3
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %c) {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %k
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, 3
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
