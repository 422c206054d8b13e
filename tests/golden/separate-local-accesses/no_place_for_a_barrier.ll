; Nothing to do: the work-item reads what it has stored itself, another variable, or after a barrier. No
; place: only some work-items store and load, or each does in a loop.
;! shows: refuses
;! opt: -p isolate-barriers,separate-local-accesses --remarks separate-local-accesses
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg t: 16
;! arg u: 32
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t, ptr addrspace(3) %u) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  %r = getelementptr i32, ptr addrspace(3) %u, i64 %l
  store i32 7, ptr addrspace(3) %r, align 4
  call void @_Z7barrierj(i32 1)
  store i32 %v, ptr addrspace(3) %q, align 4
  %x = load i32, ptr addrspace(3) %q, align 4
  %next = xor i64 %l, 1
  %other = getelementptr i32, ptr addrspace(3) %u, i64 %next
  %y = load i32, ptr addrspace(3) %other, align 4
  call void @_Z7barrierj(i32 1)
  %neighbour = getelementptr i32, ptr addrspace(3) %t, i64 %next
  %z = load i32, ptr addrspace(3) %neighbour, align 4
  call void @_Z7barrierj(i32 1)
  %first = icmp eq i64 %l, 0
  br i1 %first, label %alone, label %join

alone:
  store i32 5, ptr addrspace(3) %t, align 4
  %masked = and i64 %i, 0
  %same = getelementptr i32, ptr addrspace(3) %t, i64 %masked
  %five = load i32, ptr addrspace(3) %same, align 4
  br label %join

join:
  %c = phi i32 [ 0, %entry ], [ %five, %alone ]
  call void @_Z7barrierj(i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %join ], [ %k.next, %loop ]
  %e = shl i64 %l, 1
  %d = add i64 %e, %k
  %slot = getelementptr i32, ptr addrspace(3) %u, i64 %d
  store i32 3, ptr addrspace(3) %slot, align 4
  %own = getelementptr i32, ptr addrspace(3) %u, i64 %e
  %o = load i32, ptr addrspace(3) %own, align 4
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, 2
  br i1 %more, label %loop, label %done

done:
  %s1 = add i32 %x, %y
  %s2 = add i32 %s1, %z
  %s3 = add i32 %s2, %c
  %s4 = add i32 %s3, %o
  store i32 %s4, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t, ptr addrspace(3) %u) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  %r = getelementptr i32, ptr addrspace(3) %u, i64 %l
  store i32 7, ptr addrspace(3) %r, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 1)
  br label %after

after:
  store i32 %v, ptr addrspace(3) %q, align 4
  %x = load i32, ptr addrspace(3) %q, align 4
  %next = xor i64 %l, 1
  %other = getelementptr i32, ptr addrspace(3) %u, i64 %next
  %y = load i32, ptr addrspace(3) %other, align 4
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 1)
  br label %after.1

after.1:
  %neighbour = getelementptr i32, ptr addrspace(3) %t, i64 %next
  %z = load i32, ptr addrspace(3) %neighbour, align 4
  br label %barrier.2

barrier.2:
  call void @_Z7barrierj(i32 1)
  br label %after.2

after.2:
  %first = icmp eq i64 %l, 0
  br i1 %first, label %alone, label %join

alone:
  store i32 5, ptr addrspace(3) %t, align 4
  %masked = and i64 %i, 0
  %same = getelementptr i32, ptr addrspace(3) %t, i64 %masked
  %five = load i32, ptr addrspace(3) %same, align 4
  br label %join

join:
  %c = phi i32 [ 0, %after.2 ], [ %five, %alone ]
  br label %barrier.3

barrier.3:
  call void @_Z7barrierj(i32 1)
  br label %after.3

after.3:
  br label %loop

loop:
  %k = phi i64 [ 0, %after.3 ], [ %k.next, %loop ]
  %e = shl i64 %l, 1
  %d = add i64 %e, %k
  %slot = getelementptr i32, ptr addrspace(3) %u, i64 %d
  store i32 3, ptr addrspace(3) %slot, align 4
  %own = getelementptr i32, ptr addrspace(3) %u, i64 %e
  %o = load i32, ptr addrspace(3) %own, align 4
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, 2
  br i1 %more, label %loop, label %done

done:
  %s1 = add i32 %x, %y
  %s2 = add i32 %s1, %z
  %s3 = add i32 %s2, %c
  %s4 = add i32 %s3, %o
  store i32 %s4, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)
; missed: separate-local-accesses: @k: NoPlace: no barrier before it: no place after the stores is one that every work-item passes once
; missed: separate-local-accesses: @k: NoPlace: no barrier before it: no place after the stores is one that every work-item passes once
