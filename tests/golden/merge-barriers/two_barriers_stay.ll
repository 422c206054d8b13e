; In a loop that work-items might leave at different times, two conditional barriers are not merged:
; there are few copies of the code after them.
;! shows: refuses
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
  br i1 %s1, label %b1, label %latch

b1:
  %v1 = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %w1 = mul i32 %v1, 5
  store i32 %w1, ptr addrspace(1) %p, align 4
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
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %w0 = mul i32 %v0, 3
  store i32 %w0, ptr addrspace(1) %p, align 4
  br label %c1

c1:
  %q1 = getelementptr i32, ptr addrspace(1) %f, i64 2
  %t1 = load i32, ptr addrspace(1) %q1, align 4
  %s1 = icmp sgt i32 %t1, %k
  br i1 %s1, label %b1, label %latch

b1:
  %v1 = load i32, ptr addrspace(1) %p, align 4
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 2) #0
  br label %after.1

after.1:
  %w1 = mul i32 %v1, 5
  store i32 %w1, ptr addrspace(1) %p, align 4
  br label %latch

latch:
  %k.next = add i32 %k, 1
  br label %header

exit:
  br label %barrier.2

barrier.2:
  call void @_Z7barrierj(i32 2) #0
  br label %after.2

after.2:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
; missed: merge-barriers: @k: Small: tails of several barriers are replicated: the regions have 67 instructions, the kernel 29
