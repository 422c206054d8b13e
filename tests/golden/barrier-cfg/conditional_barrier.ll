; The regions of a conditional barrier: the code after it lies in two of them, one for each path to it.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis barrier-cfg
define spir_kernel void @k(ptr addrspace(1) %a, i32 %on) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %c = icmp ne i32 %on, 0
  br i1 %c, label %then, label %end

then:
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2) #0
  br label %end

end:
  %w = phi i32 [ 5, %entry ], [ %v, %then ]
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %on) {
entry.barrier:                                                          ; barrier, to region 0
  call void @weft.barrier()
  br label %entry

entry:                                                                  ; region 0 from %entry.barrier to %decide
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %c = icmp ne i32 %on, 0
  br label %decide

decide:                                                                 ; barrier, to region 1, 2
  call void @weft.barrier()
  br i1 %c, label %way.1, label %way

way:                                                                    ; region 2 from %decide to %exit.barrier
  br label %end

way.1:                                                                  ; region 1 from %decide to %barrier
  br label %then

then:                                                                   ; region 1
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4
  br label %barrier

barrier:                                                                ; barrier, to region 3
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:                                                                  ; region 3 from %barrier to %exit.barrier
  br label %end

end:                                                                    ; region 2; 3
  %w = phi i32 [ %v, %after ], [ 5, %way ]
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:                                                           ; barrier, the end
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
