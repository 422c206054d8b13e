; Work-items read what others have stored only after a barrier, and their own elements before.
;! shows: leaves alone
;! opt: -p isolate-barriers,separate-local-accesses --remarks separate-local-accesses
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg t: 16
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %v, ptr addrspace(3) %q, align 4
  br label %loop

loop:
  %s = phi i64 [ 2, %entry ], [ %half, %latch ]
  call void @_Z7barrierj(i32 1)
  %few = icmp slt i64 %l, %s
  br i1 %few, label %add, label %latch

add:
  %far = add i64 %l, %s
  %r = getelementptr i32, ptr addrspace(3) %t, i64 %far
  %x = load i32, ptr addrspace(3) %r, align 4
  %mine = load i32, ptr addrspace(3) %q, align 4
  %y = add i32 %x, %mine
  store i32 %y, ptr addrspace(3) %q, align 4
  br label %latch

latch:
  %half = lshr i64 %s, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %loop, label %done

done:
  call void @_Z7barrierj(i32 1)
  %sum = load i32, ptr addrspace(3) %t, align 4
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %v, ptr addrspace(3) %q, align 4
  br label %loop

loop:
  %s = phi i64 [ 2, %entry ], [ %half, %latch ]
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 1)
  br label %after

after:
  %few = icmp slt i64 %l, %s
  br i1 %few, label %add, label %latch

add:
  %far = add i64 %l, %s
  %r = getelementptr i32, ptr addrspace(3) %t, i64 %far
  %x = load i32, ptr addrspace(3) %r, align 4
  %mine = load i32, ptr addrspace(3) %q, align 4
  %y = add i32 %x, %mine
  store i32 %y, ptr addrspace(3) %q, align 4
  br label %latch

latch:
  %half = lshr i64 %s, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %loop, label %done

done:
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 1)
  br label %after.1

after.1:
  %sum = load i32, ptr addrspace(3) %t, align 4
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)
