; All queries of the work-group are computed from the global id and the known local size.
;! shows: fires
;! opt: -p derive-local-ids --local-size 3,2
;! launch: (6, 4) / (3, 2)
;! arg a: zeros(24 * 6, dtype=int64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = mul i64 %y, 6
  %item = add i64 %row, %x
  %start = mul i64 %item, 6
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %start
  %l = call i64 @_Z12get_local_idj(i32 0)
  store i64 %l, ptr addrspace(1) %p, align 8
  %g = call i64 @_Z12get_group_idj(i32 1)
  %p1 = getelementptr i64, ptr addrspace(1) %p, i64 1
  store i64 %g, ptr addrspace(1) %p1, align 8
  %s = call i64 @_Z14get_local_sizej(i32 1)
  %p2 = getelementptr i64, ptr addrspace(1) %p, i64 2
  store i64 %s, ptr addrspace(1) %p2, align 8
  %n = call i64 @_Z14get_num_groupsj(i32 0)
  %p3 = getelementptr i64, ptr addrspace(1) %p, i64 3
  store i64 %n, ptr addrspace(1) %p3, align 8
  %i = call i64 @_Z19get_local_linear_idv()
  %p4 = getelementptr i64, ptr addrspace(1) %p, i64 4
  store i64 %i, ptr addrspace(1) %p4, align 8
  %z = call i64 @_Z12get_group_idj(i32 2)
  %p5 = getelementptr i64, ptr addrspace(1) %p, i64 5
  store i64 %z, ptr addrspace(1) %p5, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z14get_local_sizej(i32)
declare i64 @_Z14get_num_groupsj(i32)
declare i64 @_Z19get_local_linear_idv()
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = mul i64 %y, 6
  %item = add i64 %row, %x
  %start = mul i64 %item, 6
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %start
  %0 = call i64 @_Z13get_global_idj(i32 0)
  %1 = urem i64 %0, 3
  store i64 %1, ptr addrspace(1) %p, align 8
  %2 = call i64 @_Z13get_global_idj(i32 1)
  %3 = udiv i64 %2, 2
  %p1 = getelementptr i64, ptr addrspace(1) %p, i64 1
  store i64 %3, ptr addrspace(1) %p1, align 8
  %p2 = getelementptr i64, ptr addrspace(1) %p, i64 2
  store i64 2, ptr addrspace(1) %p2, align 8
  %4 = call i64 @_Z15get_global_sizej(i32 0)
  %5 = udiv i64 %4, 3
  %p3 = getelementptr i64, ptr addrspace(1) %p, i64 3
  store i64 %5, ptr addrspace(1) %p3, align 8
  %6 = call i64 @_Z13get_global_idj(i32 1)
  %7 = urem i64 %6, 2
  %8 = mul i64 %7, 3
  %9 = call i64 @_Z13get_global_idj(i32 0)
  %10 = urem i64 %9, 3
  %11 = add i64 %8, %10
  %p4 = getelementptr i64, ptr addrspace(1) %p, i64 4
  store i64 %11, ptr addrspace(1) %p4, align 8
  %12 = call i64 @_Z13get_global_idj(i32 2)
  %p5 = getelementptr i64, ptr addrspace(1) %p, i64 5
  store i64 %12, ptr addrspace(1) %p5, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z12get_group_idj(i32)

declare i64 @_Z14get_local_sizej(i32)

declare i64 @_Z14get_num_groupsj(i32)

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z15get_global_sizej(i32)
