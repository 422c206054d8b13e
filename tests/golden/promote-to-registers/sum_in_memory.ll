; A sum in memory. The loop may have no iteration: its test is made before it, so that nothing is loaded then.
;! shows: fires
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: arange(4, dtype=int32)
;! arg a: arange(8, dtype=int32)
;! arg n: 8
define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %exit

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  br label %loop

exit:
  %last = phi i64 [ %k, %loop ]
  %r = getelementptr i32, ptr addrspace(1) %a, i64 0
  %count = trunc i64 %last to i32
  store i32 %count, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %more = icmp ult i64 0, %n
  br i1 %more, label %promote, label %exit

promote:
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  %0 = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %promoted = phi i32 [ %new, %body ], [ %0, %promote ]
  %k = phi i64 [ 0, %promote ], [ %next, %body ]
  %more.1 = icmp ult i64 %k, %n
  br i1 %more.1, label %body, label %promoted.1

promoted.1:
  %last = phi i64 [ %k, %loop ]
  %promoted.2 = phi i32 [ %promoted, %loop ]
  store i32 %promoted.2, ptr addrspace(1) %p, align 4
  br label %exit

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %new = add i32 %promoted, %v
  %next = add i64 %k, 1
  br label %loop

exit:
  %last.1 = phi i64 [ %last, %promoted.1 ], [ 0, %entry ]
  %r = getelementptr i32, ptr addrspace(1) %a, i64 0
  %count = trunc i64 %last.1 to i32
  store i32 %count, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: promote-to-registers: @k: Promoted: a location in memory is kept in a register while the loop runs
