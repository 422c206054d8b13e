; Private memory that one region uses is shared by all work-items, one at a time; other memory is a context array.
;! opt: -p isolate-barriers,place-implicit-barriers --analysis kernel-variables
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %one = alloca [2 x i32], align 4
  %two = alloca [2 x i32], align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr %one, align 4
  %one.v = load i32, ptr %one, align 4
  store i32 %one.v, ptr %two, align 4
  call void @_Z7barrierj(i32 2) #0
  %two.v = load i32, ptr %two, align 4
  %w = add i32 %two.v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %one = alloca [2 x i32], align 4                                      ; one for all work-items
  %two = alloca [2 x i32], align 4                                      ; context array
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; recomputed in each region
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr %one, align 4
  %one.v = load i32, ptr %one, align 4
  store i32 %one.v, ptr %two, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %two.v = load i32, ptr %two, align 4
  %w = add i32 %two.v, 1
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
