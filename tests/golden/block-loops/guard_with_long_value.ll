; A value of many instructions is not computed again after the loop: it is kept, here in memory.
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
  %inside = icmp slt i32 %x, 6
  br i1 %inside, label %before, label %out

before:
  %t1 = mul i32 %x, 3
  %t2 = xor i32 %t1, 5
  %t3 = mul i32 %t2, 7
  %t4 = xor i32 %t3, 9
  %t5 = mul i32 %t4, 11
  %t6 = xor i32 %t5, 13
  %t7 = mul i32 %t6, 15
  %t8 = xor i32 %t7, 17
  %t9 = mul i32 %t8, 19
  %t10 = xor i32 %t9, 21
  %t11 = mul i32 %t10, 23
  %t12 = xor i32 %t11, 25
  %t13 = mul i32 %t12, 27
  %t14 = xor i32 %t13, 29
  %t15 = mul i32 %t14, 31
  %t16 = xor i32 %t15, 33
  %t17 = mul i32 %t16, 35
  br label %loop

loop:
  %k = phi i32 [ 0, %before ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %before ], [ %sum.next, %loop ]
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
  %total = add i32 %result, %t17
  store i32 %total, ptr addrspace(1) %r, align 4
  br label %out

out:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %sum = alloca i32, align 4
  %t17 = alloca i32, align 4
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %inside = icmp slt i32 %x, 6
  %0 = icmp ult i32 1, 300
  %1 = select i1 %0, i64 299, i64 0
  %trips = add i64 %1, 1
  %2 = udiv i64 %trips, 1024
  %3 = icmp ugt i64 %2, 128
  %strip.length = select i1 %3, i64 %2, i64 128
  %x.1 = trunc i64 %x64 to i32
  %inside.1 = icmp slt i32 %x.1, 6
  br i1 %inside.1, label %before, label %strip.gate

before:
  %x.2 = trunc i64 %x64 to i32
  %t1 = mul i32 %x.2, 3
  %t2 = xor i32 %t1, 5
  %t3 = mul i32 %t2, 7
  %t4 = xor i32 %t3, 9
  %t5 = mul i32 %t4, 11
  %t6 = xor i32 %t5, 13
  %t7 = mul i32 %t6, 15
  %t8 = xor i32 %t7, 17
  %t9 = mul i32 %t8, 19
  %t10 = xor i32 %t9, 21
  %t11 = mul i32 %t10, 23
  %t12 = xor i32 %t11, 25
  %t13 = mul i32 %t12, 27
  %t14 = xor i32 %t13, 29
  %t15 = mul i32 %t14, 31
  %t16 = xor i32 %t15, 33
  %t17.1 = mul i32 %t16, 35
  store i32 %t17.1, ptr %t17, align 4
  store i32 0, ptr %sum, align 4
  br label %strip.gate

strip.gate:
  br label %strip

strip:
  %k.strip = phi i32 [ 0, %strip.gate ], [ %k.after, %way ]
  %strip.count = phi i64 [ 0, %strip.gate ], [ %strip.counted, %way ]
  %4 = trunc i64 %strip.length to i32
  %5 = mul i32 1, %4
  %k.after = add i32 %k.strip, %5
  %strip.counted = add i64 %strip.count, %strip.length
  %6 = sub i64 %trips, %strip.count
  %7 = icmp ule i64 %6, %strip.length
  br label %strip.before

strip.before:
  call void @weft.barrier()
  br label %strip.body

strip.body:
  %x.3 = trunc i64 %x64 to i32
  %inside.2 = icmp slt i32 %x.3, 6
  br i1 %inside.2, label %strip.first, label %strip.end

strip.first:
  %x.4 = trunc i64 %x64 to i32
  %sum.1 = load i32, ptr %sum, align 4
  br label %loop

loop:
  %k = phi i32 [ %k.next, %loop ], [ %k.strip, %strip.first ]
  %sum.2 = phi i32 [ %sum.next, %loop ], [ %sum.1, %strip.first ]
  %strip.index = phi i64 [ 0, %strip.first ], [ %strip.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x.4
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, 3
  %sum.next = add i32 %sum.2, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 300
  %strip.next = add nuw nsw i64 %strip.index, 1
  %8 = icmp ne i64 %strip.next, %strip.length
  %9 = and i1 %more, %8
  br i1 %9, label %loop, label %strip.last

strip.last:
  %sum.next.1 = phi i32 [ %sum.next, %loop ]
  store i32 %sum.next.1, ptr %sum, align 4
  br label %strip.end

strip.end:
  br label %strip.barrier

strip.barrier:
  call void @weft.barrier()
  br i1 %7, label %way.1, label %way

way:
  br label %strip

way.1:
  br label %strip.after

strip.after:
  %x.5 = trunc i64 %x64 to i32
  %inside.3 = icmp slt i32 %x.5, 6
  br i1 %inside.3, label %strip.results, label %out

strip.results:
  %sum.next.2 = load i32, ptr %sum, align 4
  br label %done

done:
  %result = phi i32 [ %sum.next.2, %strip.results ]
  %y.1 = trunc i64 %y64 to i32
  %x.6 = trunc i64 %x64 to i32
  %t17.2 = load i32, ptr %t17, align 4
  %line = shl nsw i32 %y.1, 3
  %to = add nsw i32 %line, %x.6
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  %total = add i32 %result, %t17.2
  store i32 %total, ptr addrspace(1) %r, align 4
  br label %out

out:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent
; passed: block-loops: @k: Blocked: it runs in strips of 128 iterations: work-items read the same columns
