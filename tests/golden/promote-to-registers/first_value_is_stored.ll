; The first value is stored before the loops, so nothing is loaded, and stored once: after the division.
;! shows: fires
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: arange(4, dtype=int32)
;! arg a: arange(8, dtype=int32)
;! arg n: 3
define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  store i32 0, ptr addrspace(1) %p, align 4
  br label %outer

outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %outer.latch ]
  %j.more = icmp ult i64 %j, %n
  br i1 %j.more, label %inner.pre, label %exit

inner.pre:
  br label %inner

inner:
  %k = phi i64 [ 0, %inner.pre ], [ %next, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %outer.latch

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(1) %p, align 4
  %next = add i64 %k, 1
  br label %inner

outer.latch:
  %j.next = add i64 %j, 1
  br label %outer

exit:
  %sum = load i32, ptr addrspace(1) %p, align 4
  %half = sdiv i32 %sum, 2
  store i32 %half, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %c, i64 %id
  br label %outer

outer:
  %promoted = phi i32 [ 0, %entry ], [ %promoted.2, %outer.latch ]
  %j = phi i64 [ 0, %entry ], [ %j.next, %outer.latch ]
  %j.more = icmp ult i64 %j, %n
  br i1 %j.more, label %inner.pre, label %exit

inner.pre:
  br label %inner

inner:
  %promoted.1 = phi i32 [ %promoted, %inner.pre ], [ %new, %body ]
  %k = phi i64 [ 0, %inner.pre ], [ %next, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %outer.latch

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %new = add i32 %promoted.1, %v
  %next = add i64 %k, 1
  br label %inner

outer.latch:
  %promoted.2 = phi i32 [ %promoted.1, %inner ]
  %j.next = add i64 %j, 1
  br label %outer

exit:
  %promoted.3 = phi i32 [ %promoted, %outer ]
  %half = sdiv i32 %promoted.3, 2
  store i32 %half, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: promote-to-registers: @k: Promoted: a location in memory is kept in a register while the loop runs
