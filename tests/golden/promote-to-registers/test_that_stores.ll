; The loop stores to another buffer before it tests whether there is an iteration: that cannot be done twice.
;! shows: refuses
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: arange(4, dtype=int32)
;! arg a: arange(8, dtype=int32)
;! arg n: 8
define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %number = trunc i64 %k to i32
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %more = icmp ult i64 %k, %n
  %place = select i1 %more, ptr addrspace(1) %q, ptr addrspace(1) %a
  store i32 %number, ptr addrspace(1) %place, align 4
  br i1 %more, label %body, label %exit

body:
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %number
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  br label %loop

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %number = trunc i64 %k to i32
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %more = icmp ult i64 %k, %n
  %place = select i1 %more, ptr addrspace(1) %q, ptr addrspace(1) %a
  store i32 %number, ptr addrspace(1) %place, align 4
  br i1 %more, label %body, label %exit

body:
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %number
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  br label %loop

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: promote-to-registers: @k: Test: the loop may have no iteration, and its test cannot be made before it
