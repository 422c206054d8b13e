; The condition of a loop with a barrier (a b-loop) is decided once for the group in each iteration.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg n: 3
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %k.next = add i32 %k, 1
  br label %header

exit:
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
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %after ]
  %more = icmp ult i32 %k, %n
  br label %decide

decide:
  call void @weft.barrier()
  br i1 %more, label %way.1, label %way

way:
  br label %exit

way.1:
  br label %body

body:
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2) #0
  br label %after

after:
  %k.next = add i32 %k, 1
  br label %header

exit:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @_Z7barrierj(i32) #0

declare void @weft.barrier() convergent

attributes #0 = { convergent }
