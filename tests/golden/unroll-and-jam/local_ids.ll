; The row is told by its place in the work-group.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,unroll-and-jam --local-size 8,4 --remarks unroll-and-jam
;! launch: 8,4 / 8,4
;! arg a: arange(80, dtype=int32)
;! arg b: arange(80, dtype=int32)
;! arg c: zeros(80, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z12get_local_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %row = mul nsw i32 %y, 5
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %i = add nsw i32 %row, %k
  %i64 = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i64
  %l = load i32, ptr addrspace(1) %p, align 4
  %up = shl nsw i32 %k, 3
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %l, %m
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 5
  br i1 %more, label %loop, label %done

done:
  %sum.lcssa = phi i32 [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %sum.lcssa, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z12get_local_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %row = mul nsw i32 %y, 5
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %i = add nsw i32 %row, %k
  %i64 = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i64
  %l = load i32, ptr addrspace(1) %p, align 4
  %up = shl nsw i32 %k, 3
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %l, %m
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 5
  br i1 %more, label %loop, label %done

done:
  %sum.lcssa = phi i32 [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %sum.lcssa, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_local_idj(i32)
; missed: unroll-and-jam: @k: NotJammed: work-items along y are not jammed: the kernel uses another position than global ids
