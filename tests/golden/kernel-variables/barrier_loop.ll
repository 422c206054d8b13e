; The counter is kept once, the loaded value in a context array, addresses are recomputed.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis kernel-variables
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2) #0
  %w = add i32 %v, %k
  store i32 %w, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %k.next = add i32 %k, 1
  br label %header

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; recomputed in each region
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %after.1 ]                     ; kept once for the group
  %more = icmp ult i32 %k, %n                                           ; kept once for the group
  br label %decide

decide:
  call void @weft.barrier()
  br i1 %more, label %way.1, label %way

way:
  br label %exit

way.1:
  br label %body

body:
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4                           ; context array
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %w = add i32 %v, %k
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 2) #0
  br label %after.1

after.1:
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
