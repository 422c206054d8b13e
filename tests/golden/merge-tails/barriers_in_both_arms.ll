; The tail after barriers in both arms of an if starts with its own barrier and is not copied.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,merge-tails --limit short-tail=10 --remarks merge-tails
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg n: 3
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %c = icmp sgt i32 %n, 4
  br i1 %c, label %one, label %two

one:
  store i32 1, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  br label %join

two:
  store i32 2, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  br label %join

join:
  %x = phi i32 [ 5, %one ], [ %v, %two ]
  %b = mul i32 %x, 3
  %d = xor i32 %b, %n
  %e = mul i32 %d, 5
  %f = xor i32 %e, 77
  %g = mul i32 %f, 7
  %h = xor i32 %g, %v
  %j = mul i32 %h, 9
  %l = add i32 %j, 1
  %m = mul i32 %l, 11
  store i32 %m, ptr addrspace(1) %p, align 4
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
  %v = load i32, ptr addrspace(1) %p, align 4
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
  store i32 1, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  br label %join

two:
  store i32 2, ptr addrspace(1) %p, align 4
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 2) #0
  br label %after.1

after.1:
  br label %join

join:
  %x = phi i32 [ 5, %after ], [ %v, %after.1 ]
  br label %merge

merge:
  call void @weft.barrier()
  br label %tail

tail:
  %b = mul i32 %x, 3
  %d = xor i32 %b, %n
  %e = mul i32 %d, 5
  %f = xor i32 %e, 77
  %g = mul i32 %f, 7
  %h = xor i32 %g, %v
  %j = mul i32 %h, 9
  %l = add i32 %j, 1
  %m = mul i32 %l, 11
  store i32 %m, ptr addrspace(1) %p, align 4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
; passed: merge-tails: @k: Merged: the tail of 2 barriers is a separate region
