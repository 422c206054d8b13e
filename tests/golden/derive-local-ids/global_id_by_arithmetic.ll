; A global id computed from a group id and a local id is recognised, in 64 and in 32 bits.
;! shows: fires
;! opt: -p derive-local-ids --local-size 4
;! launch: 8 / 4
;! arg a: zeros(8, dtype=int32)
;! arg b: zeros(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %group = call i64 @_Z12get_group_idj(i32 0)
  %size = call i64 @_Z14get_local_sizej(i32 0)
  %local = call i64 @_Z12get_local_idj(i32 0)
  %start = mul i64 %size, %group
  %id = add i64 %local, %start
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 7, ptr addrspace(1) %p, align 4
  %group32 = trunc i64 %group to i32
  %local32 = trunc i64 %local to i32
  %start32 = shl i32 %group32, 2
  %id32 = add i32 %start32, %local32
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %id32
  store i32 %id32, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z14get_local_sizej(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %0 = call i64 @_Z13get_global_idj(i32 0)
  %1 = udiv i64 %0, 4
  %2 = call i64 @_Z13get_global_idj(i32 0)
  %3 = urem i64 %2, 4
  %start = mul i64 4, %1
  %4 = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %4
  store i32 7, ptr addrspace(1) %p, align 4
  %group32 = trunc i64 %1 to i32
  %local32 = trunc i64 %3 to i32
  %start32 = shl i32 %group32, 2
  %5 = call i64 @_Z13get_global_idj(i32 0)
  %6 = trunc i64 %5 to i32
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %6
  store i32 %6, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z12get_group_idj(i32)

declare i64 @_Z14get_local_sizej(i32)

declare i64 @_Z13get_global_idj(i32)
