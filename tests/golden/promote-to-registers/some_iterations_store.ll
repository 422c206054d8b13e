; Each iteration loads the largest number so far, few store it: it is stored after the loop if one did.
;! shows: fires
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: array([3, 9, 0, 7], int32)
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %old = load i32, ptr addrspace(1) %p, align 4
  %larger = icmp sgt i32 %v, %old
  br i1 %larger, label %replace, label %latch

replace:
  store i32 %v, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  %0 = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %stored = phi i1 [ false, %entry ], [ %stored.1, %latch ]
  %promoted = phi i32 [ %0, %entry ], [ %promoted.1, %latch ]
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %larger = icmp sgt i32 %v, %promoted
  br i1 %larger, label %replace, label %latch

replace:
  br label %latch

latch:
  %stored.1 = phi i1 [ %stored, %loop ], [ true, %replace ]
  %promoted.1 = phi i32 [ %promoted, %loop ], [ %v, %replace ]
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  %promoted.2 = phi i32 [ %promoted.1, %latch ]
  %stored.2 = phi i1 [ %stored.1, %latch ]
  br i1 %stored.2, label %promoted.store, label %promoted.rest

promoted.store:
  store i32 %promoted.2, ptr addrspace(1) %p, align 4
  br label %promoted.rest

promoted.rest:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: promote-to-registers: @k: Flagged: a location in memory is kept in a register while the loop runs, and stored if an iteration did
