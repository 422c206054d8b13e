; The barrier's block ends with a branch back to a block with phis, which then come from the new block.
;! shows: fires
;! opt: -p isolate-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %v, %k
  store i32 %w, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %after ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %v, %k
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
