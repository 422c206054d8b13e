; After a return of some work-items, what is uniform among the others is kept once: the counter %k and
; the decision about the loop. The sum %s differs between work-items.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis kernel-variables
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n, i32 %m) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %outside = icmp uge i64 %i, %n
  br i1 %outside, label %exit, label %pre

pre:
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %header

header:
  %k = phi i32 [ 0, %pre ], [ %k.next, %body ]
  %s = phi i32 [ %v, %pre ], [ %t, %body ]
  %more = icmp ult i32 %k, %m
  br i1 %more, label %body, label %exit

body:
  call void @_Z7barrierj(i32 2) #0
  %t = add i32 %s, %k
  store i32 %t, ptr addrspace(1) %p, align 4
  %k.next = add i32 %k, 1
  br label %header

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i64 %n, i32 %m) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; recomputed in each region
  %outside = icmp uge i64 %i, %n
  br i1 %outside, label %exit, label %pre

pre:
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %header

header:
  %k = phi i32 [ 0, %pre ], [ %k.next, %after ]                         ; kept once for the group
  %s = phi i32 [ %v, %pre ], [ %t, %after ]                             ; context array
  %more = icmp ult i32 %k, %m                                           ; kept once for the group
  br label %decide

decide:
  call void @weft.barrier()
  br i1 %more, label %way.1, label %way

way:
  br label %exit

way.1:
  br label %body

body:
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %t = add i32 %s, %k
  store i32 %t, ptr addrspace(1) %p, align 4
  %k.next = add i32 %k, 1
  br label %header

exit:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
