; The loop exits in its header and carries values to the exit; a pointer advances down the column.
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
  %first = getelementptr i32, ptr addrspace(1) %b, i64 %x64
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %p.next, %body ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp ult i32 %k, 300
  br i1 %more, label %body, label %done

body:
  %m = load i32, ptr addrspace(1) %p, align 4
  %sum.next = add i32 %sum, %m
  %p.next = getelementptr i32, ptr addrspace(1) %p, i64 32
  %k.next = add nuw nsw i32 %k, 1
  br label %loop

done:
  %result = phi i32 [ %sum, %loop ]
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
  %first = getelementptr i32, ptr addrspace(1) %b, i64 %x64
  br label %strip

strip:
  %k.strip = phi i32 [ 0, %entry ], [ %k.1, %way ]
  %sum.strip = phi i32 [ 0, %entry ], [ %sum.1, %way ]
  %offset.strip = phi i64 [ 0, %entry ], [ %offset.1, %way ]
  br label %loop

loop:
  %k = phi i32 [ %k.next, %body ], [ %k.strip, %strip ]
  %sum = phi i32 [ %sum.next, %body ], [ %sum.strip, %strip ]
  %offset = phi i64 [ %offset.next, %body ], [ %offset.strip, %strip ]
  %strip.index = phi i32 [ 0, %strip ], [ %strip.next, %body ]
  %more = icmp ult i32 %k, 300
  %0 = xor i1 %more, true
  %1 = icmp eq i32 %strip.index, 128
  %2 = or i1 %0, %1
  br i1 %2, label %strip.end, label %body

strip.end:
  %sum.1 = phi i32 [ %sum, %loop ]
  %k.1 = phi i32 [ %k, %loop ]
  %offset.1 = phi i64 [ %offset, %loop ]
  %3 = phi i1 [ %0, %loop ]
  br label %strip.barrier

strip.barrier:
  call void @weft.barrier()
  br i1 %3, label %way.1, label %way

way:
  br label %strip

way.1:
  br label %done

body:
  %p = getelementptr i8, ptr addrspace(1) %first, i64 %offset
  %m = load i32, ptr addrspace(1) %p, align 4
  %sum.next = add i32 %sum, %m
  %offset.next = add i64 %offset, 128
  %k.next = add nuw nsw i32 %k, 1
  %strip.next = add nuw nsw i32 %strip.index, 1
  br label %loop

done:
  %result = phi i32 [ %sum.1, %way.1 ]
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
; passed: block-loops: @k: Split: a pointer is advanced by an offset that is kept once for the group
