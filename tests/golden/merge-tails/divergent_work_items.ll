; Only some work-items reach the tail, perhaps without a barrier before it: it cannot get a barrier.
;! shows: refuses
;! opt: -p isolate-barriers,place-implicit-barriers,merge-tails --limit short-tail=0 --remarks merge-tails
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg n: 1
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %some = icmp sgt i32 %v, 5
  br i1 %some, label %exit, label %others

others:
  %c = icmp sgt i32 %n, 4
  br i1 %c, label %one, label %next

next:
  %d = icmp sgt i32 %n, 2
  br i1 %d, label %two, label %join

one:
  store i32 1, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2)
  br label %join

two:
  store i32 2, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2)
  br label %join

join:
  %x = phi i32 [ 5, %one ], [ %v, %two ], [ 7, %next ]
  %b = mul i32 %x, 3
  store i32 %b, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  call void @_Z7barrierj(i32 2)
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %some = icmp sgt i32 %v, 5
  br i1 %some, label %exit, label %others

others:
  %c = icmp sgt i32 %n, 4
  br i1 %c, label %one, label %next

next:
  %d = icmp sgt i32 %n, 2
  br i1 %d, label %two, label %join

one:
  store i32 1, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2)
  br label %after

after:
  br label %join

two:
  store i32 2, ptr addrspace(1) %p, align 4
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 2)
  br label %after.1

after.1:
  br label %join

join:
  %x = phi i32 [ 5, %after ], [ %v, %after.1 ], [ 7, %next ]
  %b = mul i32 %x, 3
  store i32 %b, ptr addrspace(1) %p, align 4
  br label %exit

exit:
  br label %barrier.2

barrier.2:
  call void @_Z7barrierj(i32 2)
  br label %after.2

after.2:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32)

declare void @weft.barrier() convergent
; missed: merge-tails: @k: Divergent: the tail of 3 barriers is replicated: not all work-items may reach it
