; The other buffer may be the same one: this launch does not promise that it is not.
;! shows: refuses
;! opt: -p promote-to-registers --may-overlap --remarks promote-to-registers
;! launch: 4 / 4
;! arg c: arange(16, dtype=int32)
;! arg a: arange(16, dtype=int32)
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
  %new = add i32 %old, %v
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
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %v
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
; missed: promote-to-registers: @k: Buffers: another access of the loop touches the same bytes if buffers overlap
