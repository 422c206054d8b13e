; A counter that may wrap may also access elements before the location.
;! shows: refuses
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
  %next = add i64 %k, 1
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
  br label %loop

loop:
  %k = phi i64 [ %id, %entry ], [ %next, %latch ]
  %next = add i64 %k, 1
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
; missed: promote-to-registers: @k: MayAlias: another access of the loop may touch the same bytes
