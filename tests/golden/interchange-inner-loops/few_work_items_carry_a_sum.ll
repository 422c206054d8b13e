; Four registers hold all work-items: in memory, the sum would be loaded again right after it was stored.
;! shows: refuses
;! opt: -p interchange-inner-loops --local-size 12 --remarks interchange-inner-loops
;! launch: 12 / 12
;! arg a: arange(140, dtype=int32)
;! arg n: 8
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %row = mul i32 %k, 16
  %row.wide = zext i32 %row to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %row.wide
  %v = load i32, ptr addrspace(1) %q, align 4
  %sum.next = add i32 %sum, %v
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %exit

exit:
  %result = phi i32 [ %sum.next, %loop ]
  store i32 %result, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %row = mul i32 %k, 16
  %row.wide = zext i32 %row to i64
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %row.wide
  %v = load i32, ptr addrspace(1) %q, align 4
  %sum.next = add i32 %sum, %v
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %exit

exit:
  %result = phi i32 [ %sum.next, %loop ]
  store i32 %result, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: interchange-inner-loops: @k: CarriesAtOnce: loads of its 1 varying loop-carried values would wait for the stores before them
