; No code follows more than one barrier.
;! shows: leaves alone
;! opt: -p isolate-barriers,place-implicit-barriers,merge-barriers --remarks merge-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2)
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2)
  br label %after

after:
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent
