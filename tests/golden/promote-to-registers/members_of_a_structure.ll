; Two members of a structure and a third that is only read: the index is the same, the bytes are others.
;! shows: fires
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg s: arange(12, dtype=int32)
;! arg a: arange(8, dtype=int32)
%triple = type { i32, i32, i32 }

define spir_kernel void @k(ptr addrspace(1) %s, ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %k, 8
  br i1 %more, label %body, label %exit

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %px = getelementptr %triple, ptr addrspace(1) %s, i64 %id
  %x = load i32, ptr addrspace(1) %px, align 4
  %x.new = add i32 %x, %v
  store i32 %x.new, ptr addrspace(1) %px, align 4
  %pz = getelementptr %triple, ptr addrspace(1) %s, i64 %id, i32 2
  %z = load i32, ptr addrspace(1) %pz, align 4
  %py = getelementptr %triple, ptr addrspace(1) %s, i64 %id, i32 1
  %y = load i32, ptr addrspace(1) %py, align 4
  %y.more = mul i32 %z, %v
  %y.new = add i32 %y, %y.more
  store i32 %y.new, ptr addrspace(1) %py, align 4
  %next = add i64 %k, 1
  br label %loop

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

%triple = type { i32, i32, i32 }

define spir_kernel void @k(ptr addrspace(1) %s, ptr addrspace(1) %a) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr %triple, ptr addrspace(1) %s, i64 %id
  %0 = load i32, ptr addrspace(1) %px, align 4
  %py = getelementptr %triple, ptr addrspace(1) %s, i64 %id, i32 1
  %1 = load i32, ptr addrspace(1) %py, align 4
  br label %loop

loop:
  %promoted = phi i32 [ %1, %entry ], [ %y.new, %body ]
  %promoted.1 = phi i32 [ %0, %entry ], [ %x.new, %body ]
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %k, 8
  br i1 %more, label %body, label %exit

body:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %x.new = add i32 %promoted.1, %v
  %pz = getelementptr %triple, ptr addrspace(1) %s, i64 %id, i32 2
  %z = load i32, ptr addrspace(1) %pz, align 4
  %y.more = mul i32 %z, %v
  %y.new = add i32 %promoted, %y.more
  %next = add i64 %k, 1
  br label %loop

exit:
  %promoted.2 = phi i32 [ %promoted.1, %loop ]
  %promoted.3 = phi i32 [ %promoted, %loop ]
  store i32 %promoted.3, ptr addrspace(1) %py, align 4
  store i32 %promoted.2, ptr addrspace(1) %px, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: promote-to-registers: @k: Promoted: a location in memory is kept in a register while the loop runs
; passed: promote-to-registers: @k: Promoted: a location in memory is kept in a register while the loop runs
