; A value that is used outside its loop must pass through a phi.
;! opt: --analysis divergence
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %exit

exit:
  store i32 %k.next, ptr addrspace(1) %a, align 4
  ret void
}
; ---- expected
; weft opt: -: divergence requires lcssa (live-out values of a loop pass through a phi at its exit), but in @k %k.next of the loop %loop is used in %exit
