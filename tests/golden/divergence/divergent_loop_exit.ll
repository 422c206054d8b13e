; A loop that work-items leave at different times makes its blocks and what leaves it divergent.
;! opt: --analysis divergence
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %limit = load i32, ptr addrspace(1) %p, align 4
  br label %uniform.loop

uniform.loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %uniform.loop ]
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %uniform.loop, label %between

between:
  %j.out = phi i32 [ %j.next, %uniform.loop ]
  br label %loop

loop:
  %k = phi i32 [ 0, %between ], [ %k.next, %loop ]
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %limit
  br i1 %more, label %loop, label %exit

exit:
  %k.out = phi i32 [ %k.next, %loop ]
  %sum = add i32 %k.out, %j.out
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)                              ; divergent
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; divergent
  %limit = load i32, ptr addrspace(1) %p, align 4                       ; divergent
  br label %uniform.loop

uniform.loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %uniform.loop ]                ; uniform
  %j.next = add i32 %j, 1                                               ; uniform
  %again = icmp ult i32 %j.next, %n                                     ; uniform
  br i1 %again, label %uniform.loop, label %between                     ; uniform branch

between:
  %j.out = phi i32 [ %j.next, %uniform.loop ]                           ; uniform
  br label %loop

loop:                                                                   ; divergent: not run by all work-items equally often
  %k = phi i32 [ 0, %between ], [ %k.next, %loop ]                      ; uniform
  %k.next = add i32 %k, 1                                               ; uniform
  %more = icmp ult i32 %k.next, %limit                                  ; divergent
  br i1 %more, label %loop, label %exit                                 ; divergent branch

exit:
  %k.out = phi i32 [ %k.next, %loop ]                                   ; divergent
  %sum = add i32 %k.out, %j.out                                         ; divergent
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
