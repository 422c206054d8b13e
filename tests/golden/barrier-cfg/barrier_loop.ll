; The regions of a loop with a barrier, of which one leads back to the decision of the loop.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis barrier-cfg
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
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul i32 %v, 3
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
entry.barrier:                                                          ; barrier, to region 0
  call void @weft.barrier()
  br label %entry

entry:                                                                  ; region 0 from %entry.barrier to %decide
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:                                                                 ; region 0; 3
  %k = phi i32 [ 0, %entry ], [ %k.next, %after ]
  %more = icmp ult i32 %k, %n
  br label %decide

decide:                                                                 ; barrier, to region 1, 2
  call void @weft.barrier()
  br i1 %more, label %way.1, label %way

way:                                                                    ; region 2 from %decide to %exit.barrier
  br label %exit

way.1:                                                                  ; region 1 from %decide to %barrier
  br label %body

body:                                                                   ; region 1
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:                                                                ; barrier, to region 3
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:                                                                  ; region 3 from %barrier to %decide
  %k.next = add i32 %k, 1
  br label %header

exit:                                                                   ; region 2
  br label %exit.barrier

exit.barrier:                                                           ; barrier, the end
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
