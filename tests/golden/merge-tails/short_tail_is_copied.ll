; A short tail after two barriers belongs to both regions: a barrier would cost more than the copy.
;! shows: refuses
;! opt: -p isolate-barriers,place-implicit-barriers,merge-tails --limit short-tail=10 --remarks merge-tails
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg n: 3
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %c = icmp sgt i32 %n, 4
  br i1 %c, label %one, label %two

one:
  call void @_Z7barrierj(i32 2) #0
  br label %join

two:
  call void @_Z7barrierj(i32 2) #0
  br label %join

join:
  %x = phi i32 [ 5, %one ], [ 7, %two ]
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %c = icmp sgt i32 %n, 4
  br label %decide

decide:
  call void @weft.barrier()
  br i1 %c, label %way.1, label %way

way:
  br label %two

way.1:
  br label %one

one:
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  br label %join

two:
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 2) #0
  br label %after.1

after.1:
  br label %join

join:
  %x = phi i32 [ 5, %after ], [ 7, %after.1 ]
  store i32 %x, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
; missed: merge-tails: @k: Short: the tail of 2 barriers is replicated: the copies have 3 instructions
