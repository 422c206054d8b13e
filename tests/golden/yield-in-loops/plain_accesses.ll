; A loop that sees nothing of other work-items stays as it is.
;! shows: leaves alone
;! opt: -p yield-in-loops
;! launch: 4 / 4
;! arg a: array([4, 3, 2, 1], int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %n.next = add i32 %n, 1
  store i32 %n.next, ptr addrspace(1) %p, align 4
  %more = icmp ult i32 %n.next, %v
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %n = phi i32 [ 0, %entry ], [ %n.next, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %n.next = add i32 %n, 1
  store i32 %n.next, ptr addrspace(1) %p, align 4
  %more = icmp ult i32 %n.next, %v
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
