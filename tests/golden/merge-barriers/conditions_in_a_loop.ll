; In a loop that work-items might leave at different times, five conditional barriers become one,
; and values that live across one of them each share a phi.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,merge-barriers --limit small-regions=0 --remarks merge-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg f: array([3, 1, 0, 2, 3, 1], dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %f) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %limit = load i32, ptr addrspace(1) %f, align 4
  %more = icmp slt i32 %k, %limit
  br i1 %more, label %c0, label %exit

c0:
  %q0 = getelementptr i32, ptr addrspace(1) %f, i64 1
  %t0 = load i32, ptr addrspace(1) %q0, align 4
  %s0 = icmp sgt i32 %t0, %k
  br i1 %s0, label %b0, label %c1

b0:
  %v0 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w0 = mul i32 %v0, 3
  store i32 %w0, ptr addrspace(1) %p, align 4
  br label %c1

c1:
  %q1 = getelementptr i32, ptr addrspace(1) %f, i64 2
  %t1 = load i32, ptr addrspace(1) %q1, align 4
  %s1 = icmp sgt i32 %t1, %k
  br i1 %s1, label %b1, label %c2

b1:
  %v1 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w1 = mul i32 %v1, 5
  store i32 %w1, ptr addrspace(1) %p, align 4
  br label %c2

c2:
  %q2 = getelementptr i32, ptr addrspace(1) %f, i64 3
  %t2 = load i32, ptr addrspace(1) %q2, align 4
  %s2 = icmp sgt i32 %t2, %k
  br i1 %s2, label %b2, label %c3

b2:
  %v2 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w2 = mul i32 %v2, 7
  store i32 %w2, ptr addrspace(1) %p, align 4
  br label %c3

c3:
  %q3 = getelementptr i32, ptr addrspace(1) %f, i64 4
  %t3 = load i32, ptr addrspace(1) %q3, align 4
  %s3 = icmp sgt i32 %t3, %k
  br i1 %s3, label %b3, label %c4

b3:
  %v3 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w3 = mul i32 %v3, 9
  store i32 %w3, ptr addrspace(1) %p, align 4
  br label %c4

c4:
  %q4 = getelementptr i32, ptr addrspace(1) %f, i64 5
  %t4 = load i32, ptr addrspace(1) %q4, align 4
  %s4 = icmp sgt i32 %t4, %k
  br i1 %s4, label %b4, label %latch

b4:
  %v4 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w4 = mul i32 %v4, 11
  store i32 %w4, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %k.next = add i32 %k, 1
  br label %header

exit:
  call void @_Z7barrierj(i32 2) #0
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %f) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %limit = load i32, ptr addrspace(1) %f, align 4
  %more = icmp slt i32 %k, %limit
  br i1 %more, label %c0, label %exit

c0:
  %q0 = getelementptr i32, ptr addrspace(1) %f, i64 1
  %t0 = load i32, ptr addrspace(1) %q0, align 4
  %s0 = icmp sgt i32 %t0, %k
  br i1 %s0, label %b0, label %c1

b0:
  %v0 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  br label %gather

after:
  %w0 = mul i32 %v0.1, 3
  store i32 %w0, ptr addrspace(1) %p, align 4
  br label %c1

c1:
  %q1 = getelementptr i32, ptr addrspace(1) %f, i64 2
  %t1 = load i32, ptr addrspace(1) %q1, align 4
  %s1 = icmp sgt i32 %t1, %k
  br i1 %s1, label %b1, label %c2

b1:
  %v1 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier.1

barrier.1:
  br label %gather

after.1:
  %w1 = mul i32 %v0.1, 5
  store i32 %w1, ptr addrspace(1) %p, align 4
  br label %c2

c2:
  %q2 = getelementptr i32, ptr addrspace(1) %f, i64 3
  %t2 = load i32, ptr addrspace(1) %q2, align 4
  %s2 = icmp sgt i32 %t2, %k
  br i1 %s2, label %b2, label %c3

b2:
  %v2 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier.2

barrier.2:
  br label %gather

after.2:
  %w2 = mul i32 %v0.1, 7
  store i32 %w2, ptr addrspace(1) %p, align 4
  br label %c3

c3:
  %q3 = getelementptr i32, ptr addrspace(1) %f, i64 4
  %t3 = load i32, ptr addrspace(1) %q3, align 4
  %s3 = icmp sgt i32 %t3, %k
  br i1 %s3, label %b3, label %c4

b3:
  %v3 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier.3

barrier.3:
  br label %gather

after.3:
  %w3 = mul i32 %v0.1, 9
  store i32 %w3, ptr addrspace(1) %p, align 4
  br label %c4

c4:
  %q4 = getelementptr i32, ptr addrspace(1) %f, i64 5
  %t4 = load i32, ptr addrspace(1) %q4, align 4
  %s4 = icmp sgt i32 %t4, %k
  br i1 %s4, label %b4, label %latch

b4:
  %v4 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier.4

barrier.4:
  br label %gather

after.4:
  %w4 = mul i32 %v0.1, 11
  store i32 %w4, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %k.next = add i32 %k, 1
  br label %header

exit:
  br label %barrier.5

barrier.5:
  call void @_Z7barrierj(i32 2) #0
  br label %after.5

after.5:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void

gather:
  %v0.1 = phi i32 [ %v0, %barrier ], [ %v1, %barrier.1 ], [ %v2, %barrier.2 ], [ %v3, %barrier.3 ], [ %v4, %barrier.4 ]
  %last = phi i32 [ 0, %barrier ], [ 1, %barrier.1 ], [ 2, %barrier.2 ], [ 3, %barrier.3 ], [ 4, %barrier.4 ]
  br label %gathered

gathered:
  call void @weft.barrier()
  br label %onward

onward:
  switch i32 %last, label %way [
    i32 1, label %way.1
    i32 2, label %way.2
    i32 3, label %way.3
    i32 4, label %way.4
  ]

way:
  br label %after

way.1:
  br label %after.1

way.2:
  br label %after.2

way.3:
  br label %after.3

way.4:
  br label %after.4
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
; passed: merge-barriers: @k: Merged: 5 barriers merged into one, which records the path taken
