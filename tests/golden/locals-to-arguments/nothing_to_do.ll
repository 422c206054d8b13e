; A local variable of another kernel is no parameter of this one.
;! shows: leaves alone
;! opt: -p locals-to-arguments --kernel k
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
@other.tile = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

@other.tile = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
