; No iteration need load or store: the address may be any that cannot be accessed.
;! shows: refuses
;! opt: -p promote-to-registers --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: arange(4, dtype=int32)
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
  %large = icmp sgt i32 %v, 5
  br i1 %large, label %count, label %latch

count:
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %p, align 4
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
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %q, align 4
  %large = icmp sgt i32 %v, 5
  br i1 %large, label %count, label %latch

count:
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: promote-to-registers: @k: NotAlways: not every run of the loop accesses it
