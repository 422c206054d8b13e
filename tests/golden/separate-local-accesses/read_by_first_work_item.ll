; The first work-item reads an element that its own address does not name, where only it runs; so does each,
; another one's sum, after a store that they all pass.
;! shows: fires
;! opt: -p isolate-barriers,separate-local-accesses
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
  %first = icmp eq i64 %l, 0
  br i1 %first, label %read, label %join

read:
  %x = load i32, ptr addrspace(3) %t, align 4
  %y = add i32 %x, 100
  store i32 %y, ptr addrspace(1) %p, align 4
  br label %join

join:
  call void @_Z7barrierj(i32 1)
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(3) %q, align 4
  %again = getelementptr i32, ptr addrspace(3) %t, i64 %l
  %mine = load i32, ptr addrspace(3) %again, align 4
  %m = and i64 %l, 3
  %same = getelementptr i32, ptr addrspace(3) %t, i64 %m
  %z = load i32, ptr addrspace(3) %same, align 4
  %s = add i32 %z, %mine
  %old = load i32, ptr addrspace(1) %p, align 4
  %sum = add i32 %s, %old
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
  %first = icmp eq i64 %l, 0
  br label %barrier

barrier:
  call void @weft.barrier()
  br label %after

after:
  br i1 %first, label %read, label %join

read:
  %x = load i32, ptr addrspace(3) %t, align 4
  %y = add i32 %x, 100
  store i32 %y, ptr addrspace(1) %p, align 4
  br label %join

join:
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 1)
  br label %after.1

after.1:
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(3) %q, align 4
  %again = getelementptr i32, ptr addrspace(3) %t, i64 %l
  %mine = load i32, ptr addrspace(3) %again, align 4
  %m = and i64 %l, 3
  %same = getelementptr i32, ptr addrspace(3) %t, i64 %m
  br label %barrier.2

barrier.2:
  call void @weft.barrier()
  br label %after.2

after.2:
  %z = load i32, ptr addrspace(3) %same, align 4
  %s = add i32 %z, %mine
  %old = load i32, ptr addrspace(1) %p, align 4
  %sum = add i32 %s, %old
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare void @weft.barrier() convergent
