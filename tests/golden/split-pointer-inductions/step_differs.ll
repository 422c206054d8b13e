; Each work-item advances its pointer by a number of its own.
;! shows: refuses
;! opt: -p split-pointer-inductions --remarks split-pointer-inductions
;! launch: 4 / 4
;! arg a: arange(64, dtype=int32)
;! arg out: zeros(4, dtype=int32)
;! arg n: 4
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %start = getelementptr i32, ptr addrspace(1) %a, i64 %id
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %p.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %p.half = getelementptr i32, ptr addrspace(1) %p, i64 %n
  call void @_Z7barrierj(i32 1) #0
  %w = load i32, ptr addrspace(1) %p.half, align 4
  %both = add i32 %v, %w
  %sum.next = add i32 %sum, %both
  %p.next = getelementptr i32, ptr addrspace(1) %p.half, i64 %id
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 3
  br i1 %more, label %loop, label %exit

exit:
  %last = phi ptr addrspace(1) [ %p, %loop ]
  %total = phi i32 [ %sum.next, %loop ]
  %x = load i32, ptr addrspace(1) %last, align 4
  %result = add i32 %total, %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %start = getelementptr i32, ptr addrspace(1) %a, i64 %id
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %p.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %p.half = getelementptr i32, ptr addrspace(1) %p, i64 %n
  call void @_Z7barrierj(i32 1) #0
  %w = load i32, ptr addrspace(1) %p.half, align 4
  %both = add i32 %v, %w
  %sum.next = add i32 %sum, %both
  %p.next = getelementptr i32, ptr addrspace(1) %p.half, i64 %id
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 3
  br i1 %more, label %loop, label %exit

exit:
  %last = phi ptr addrspace(1) [ %p, %loop ]
  %total = phi i32 [ %sum.next, %loop ]
  %x = load i32, ptr addrspace(1) %last, align 4
  %result = add i32 %total, %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; missed: split-pointer-inductions: @k: Step: a pointer is kept for each work-item: they do not advance it alike
