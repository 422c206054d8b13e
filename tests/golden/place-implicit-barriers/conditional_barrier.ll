; The branch around a barrier decides which barrier comes next: it becomes a barrier of its own.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg on: 1
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
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %c = icmp ne i32 %on, 0
  br label %decide

decide:
  call void @weft.barrier()
  br i1 %c, label %way.1, label %way

way:
  br label %end

way.1:
  br label %then

then:
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  br label %end

end:
  %w = phi i32 [ %v, %after ], [ 5, %way ]
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
