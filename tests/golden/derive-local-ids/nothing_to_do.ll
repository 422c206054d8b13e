; A kernel that queries only global ids does not depend on its work-groups.
;! shows: leaves alone
;! opt: -p derive-local-ids --local-size 3,2
;! launch: (6, 4) / (3, 2)
;! arg a: zeros(24, dtype=int64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %w = call i64 @_Z15get_global_sizej(i32 0)
  %row = mul i64 %y, %w
  %at = add i64 %row, %x
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %at
  store i64 %at, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z15get_global_sizej(i32)

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %w = call i64 @_Z15get_global_sizej(i32 0)
  %row = mul i64 %y, %w
  %at = add i64 %row, %x
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %at
  store i64 %at, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z15get_global_sizej(i32)

declare i64 @_Z13get_global_idj(i32)
