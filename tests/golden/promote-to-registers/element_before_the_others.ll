; The other accesses of the loop begin one element after the location and move on. The array is private:
; no flag tells whether an iteration stored.
;! shows: fires
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg out: zeros(8, int32)
;! arg a: array([3, 9, 0, 7, 2, 8, 1, 6], int32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %v = alloca [8 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  call void @llvm.memcpy.p0.p1.i64(ptr %v, ptr addrspace(1) %a, i64 32, i1 false)
  %first = getelementptr i32, ptr %v, i64 %id
  br label %loop

loop:
  %k = phi i64 [ %id, %entry ], [ %next, %latch ]
  %next = add nsw i64 %k, 1
  %more = icmp slt i64 %next, 8
  br i1 %more, label %body, label %exit

body:
  %p = getelementptr i32, ptr %v, i64 %next
  %one = load i32, ptr %p, align 4
  %least = load i32, ptr %first, align 4
  %less = icmp slt i32 %one, %least
  br i1 %less, label %swap, label %latch

swap:
  store i32 %one, ptr %first, align 4
  store i32 %least, ptr %p, align 4
  br label %latch

latch:
  br label %loop

exit:
  %last = getelementptr i32, ptr %v, i64 7
  %found = load i32, ptr %first, align 4
  %rest = load i32, ptr %last, align 4
  %sum = sub i32 %found, %rest
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %v = alloca [8 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  call void @llvm.memcpy.p0.p1.i64(ptr %v, ptr addrspace(1) %a, i64 32, i1 false)
  %first = getelementptr i32, ptr %v, i64 %id
  %next = add nsw i64 %id, 1
  %more = icmp slt i64 %next, 8
  br i1 %more, label %promote, label %exit

promote:
  %0 = load i32, ptr %first, align 4
  br label %loop

loop:
  %promoted = phi i32 [ %promoted.3, %latch ], [ %0, %promote ]
  %k = phi i64 [ %id, %promote ], [ %next.1, %latch ]
  %next.1 = add nsw i64 %k, 1
  %more.1 = icmp slt i64 %next.1, 8
  br i1 %more.1, label %body, label %promoted.1

promoted.1:
  %promoted.2 = phi i32 [ %promoted, %loop ]
  store i32 %promoted.2, ptr %first, align 4
  br label %exit

body:
  %p = getelementptr i32, ptr %v, i64 %next.1
  %one = load i32, ptr %p, align 4
  %less = icmp slt i32 %one, %promoted
  br i1 %less, label %swap, label %latch

swap:
  store i32 %promoted, ptr %p, align 4
  br label %latch

latch:
  %promoted.3 = phi i32 [ %promoted, %body ], [ %one, %swap ]
  br label %loop

exit:
  %last = getelementptr i32, ptr %v, i64 7
  %found = load i32, ptr %first, align 4
  %rest = load i32, ptr %last, align 4
  %sum = sub i32 %found, %rest
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
; passed: promote-to-registers: @k: Promoted: a location in memory is kept in a register while the loop runs
