; Two automatic local variables become parameters; the one that the kernel does not use does not.
;! shows: fires
;! opt: -p locals-to-arguments
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
@k.tile = internal addrspace(3) global [4 x i32] undef, align 4
@k.other = internal addrspace(3) global double undef, align 8
@unused = internal addrspace(3) global i32 undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = getelementptr [4 x i32], ptr addrspace(3) @k.tile, i64 0, i64 %l
  store i32 %v, ptr addrspace(3) %t, align 4
  store double 2.000000e+00, ptr addrspace(3) @k.other, align 8
  call void @_Z7barrierj(i32 1) #0
  %back = sub i64 3, %l
  %u = getelementptr [4 x i32], ptr addrspace(3) @k.tile, i64 0, i64 %back
  %w = load i32, ptr addrspace(3) %u, align 4
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

@k.tile = internal addrspace(3) global [4 x i32] undef, align 4
@k.other = internal addrspace(3) global double undef, align 8
@unused = internal addrspace(3) global i32 undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %k.tile, ptr addrspace(3) %k.other) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = getelementptr [4 x i32], ptr addrspace(3) %k.tile, i64 0, i64 %l
  store i32 %v, ptr addrspace(3) %t, align 4
  store double 2.000000e+00, ptr addrspace(3) %k.other, align 8
  call void @_Z7barrierj(i32 1) #0
  %back = sub i64 3, %l
  %u = getelementptr [4 x i32], ptr addrspace(3) %k.tile, i64 0, i64 %back
  %w = load i32, ptr addrspace(3) %u, align 4
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
