; The dimension is known at run time only; in those that do not exist the size is 1.
;! shows: fires
;! opt: -p derive-local-ids --local-size 2,3
;! launch: (4, 6) / (2, 3)
;! arg a: zeros(4 * 6 * 4, dtype=int64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = mul i64 %y, 4
  %item = add i64 %row, %x
  %start = mul i64 %item, 4
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %next, %loop ]
  %l = call i64 @_Z12get_local_idj(i32 %d)
  %s = call i64 @_Z23get_enqueued_local_sizej(i32 %d)
  %shifted = shl i64 %s, 8
  %both = or i64 %shifted, %l
  %wide = zext i32 %d to i64
  %index = add i64 %start, %wide
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %index
  store i64 %both, ptr addrspace(1) %p, align 8
  %next = add i32 %d, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z23get_enqueued_local_sizej(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = mul i64 %y, 4
  %item = add i64 %row, %x
  %start = mul i64 %item, 4
  br label %loop

loop:
  %d = phi i32 [ 0, %entry ], [ %next, %loop ]
  %0 = icmp eq i32 %d, 0
  %1 = select i1 %0, i64 2, i64 1
  %2 = icmp eq i32 %d, 1
  %3 = select i1 %2, i64 3, i64 %1
  %4 = call i64 @_Z13get_global_idj(i32 %d)
  %5 = urem i64 %4, %3
  %6 = icmp eq i32 %d, 0
  %7 = select i1 %6, i64 2, i64 1
  %8 = icmp eq i32 %d, 1
  %9 = select i1 %8, i64 3, i64 %7
  %shifted = shl i64 %9, 8
  %both = or i64 %shifted, %5
  %wide = zext i32 %d to i64
  %index = add i64 %start, %wide
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %index
  store i64 %both, ptr addrspace(1) %p, align 8
  %next = add i32 %d, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z23get_enqueued_local_sizej(i32)
