; Work-items that differ in y read the same column; the loop exits in its last block.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,block-loops --local-size 8,8 --remarks block-loops
;! launch: 8,8 / 8,8
;! arg a: arange(64, dtype=int32)
;! arg b: arange(32 * 300, dtype=int32)
;! arg c: zeros(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, 3
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 300
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  br label %strip

strip:
  %k.strip = phi i32 [ 0, %entry ], [ %k.next.1, %way ]
  %sum.strip = phi i32 [ 0, %entry ], [ %sum.next.1, %way ]
  br label %loop

loop:
  %k = phi i32 [ %k.next, %loop ], [ %k.strip, %strip ]
  %sum = phi i32 [ %sum.next, %loop ], [ %sum.strip, %strip ]
  %strip.index = phi i32 [ 0, %strip ], [ %strip.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, 3
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 300
  %strip.next = add nuw nsw i32 %strip.index, 1
  %0 = xor i1 %more, true
  %1 = icmp eq i32 %strip.next, 128
  %2 = or i1 %0, %1
  br i1 %2, label %strip.end, label %loop

strip.end:
  %sum.next.1 = phi i32 [ %sum.next, %loop ]
  %k.next.1 = phi i32 [ %k.next, %loop ]
  %3 = phi i1 [ %0, %loop ]
  br label %strip.barrier

strip.barrier:
  call void @weft.barrier()
  br i1 %3, label %way.1, label %way

way:
  br label %strip

way.1:
  br label %done

done:
  %result = phi i32 [ %sum.next.1, %way.1 ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent
; passed: block-loops: @k: Blocked: it runs in strips of 128 iterations: work-items read the same columns
