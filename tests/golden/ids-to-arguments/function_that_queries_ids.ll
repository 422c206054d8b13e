; Ids that a function or its callee queries become arguments; a query of an unknown dimension needs all three.
;! shows: fires
;! opt: -p ids-to-arguments
;! launch: 4 / 2
;! arg a: zeros(4, int32)
define i32 @inner(i32 %d) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 %d)
  %far = call i64 @_Z15get_global_sizej(i32 7)
  %sum = add i64 %g, %far
  %r = trunc i64 %sum to i32
  ret i32 %r
}

define i32 @outer(i32 %d) {
entry:
  %x = call i32 @inner(i32 %d)
  %l = call i64 @_Z12get_local_idj(i32 0)
  %y = trunc i64 %l to i32
  %r = add i32 %x, %y
  ret i32 %r
}

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %d = trunc i64 %i to i32
  %x = call i32 @outer(i32 %d)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z15get_global_sizej(i32)
; ---- expected

define i32 @inner(i32 %d, i64 %get_global_id.0, i64 %get_global_id.1, i64 %get_global_id.2) {
entry:
  %0 = icmp eq i32 %d, 0
  %1 = select i1 %0, i64 %get_global_id.0, i64 0
  %2 = icmp eq i32 %d, 1
  %3 = select i1 %2, i64 %get_global_id.1, i64 %1
  %4 = icmp eq i32 %d, 2
  %5 = select i1 %4, i64 %get_global_id.2, i64 %3
  %sum = add i64 %5, 1
  %r = trunc i64 %sum to i32
  ret i32 %r
}

define i32 @outer(i32 %d, i64 %get_global_id.0, i64 %get_global_id.1, i64 %get_global_id.2, i64 %get_local_id.0) {
entry:
  %x = call i32 @inner(i32 %d, i64 %get_global_id.0, i64 %get_global_id.1, i64 %get_global_id.2)
  %y = trunc i64 %get_local_id.0 to i32
  %r = add i32 %x, %y
  ret i32 %r
}

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %d = trunc i64 %i to i32
  %0 = call i64 @_Z13get_global_idj(i32 0)
  %1 = call i64 @_Z13get_global_idj(i32 1)
  %2 = call i64 @_Z13get_global_idj(i32 2)
  %3 = call i64 @_Z12get_local_idj(i32 0)
  %x = call i32 @outer(i32 %d, i64 %0, i64 %1, i64 %2, i64 %3)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare i64 @_Z15get_global_sizej(i32)
