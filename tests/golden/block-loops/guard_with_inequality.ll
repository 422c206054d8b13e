; The exit compares by inequality: a bound below the start is no reason to count around.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,block-loops --local-size 8,8 --remarks block-loops
;! launch: 8,8 / 8,8
;! arg a: arange(64, dtype=int32)
;! arg b: arange(32 * 300, dtype=int32)
;! arg c: zeros(64, dtype=int32)
;! arg n: 300
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %few = icmp slt i32 %x, 6
  %some = icmp sgt i32 %n, 0
  %inside = and i1 %few, %some
  br i1 %inside, label %before, label %out

before:
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
  %more = icmp ne i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  br label %out

out:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %sum = alloca i32, align 4
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %few = icmp slt i32 %x, 6
  %some = icmp sgt i32 %n, 0
  %inside = and i1 %few, %some
  %0 = sub i32 %n, 1
  %1 = sub i32 %0, 1
  %2 = zext i32 %1 to i64
  %3 = add i64 %2, 1
  %4 = icmp slt i32 1, %n
  %5 = select i1 %4, i64 %3, i64 0
  %trips = add i64 %5, 1
  %6 = udiv i64 %trips, 1024
  %7 = icmp ugt i64 %6, 128
  %strip.length = select i1 %7, i64 %6, i64 128
  %x.1 = trunc i64 %x64 to i32
  %few.1 = icmp slt i32 %x.1, 6
  %some.1 = icmp sgt i32 %n, 0
  %inside.1 = and i1 %few.1, %some.1
  br i1 %inside.1, label %before, label %strip.gate

before:
  store i32 0, ptr %sum, align 4
  br label %strip.gate

strip.gate:
  br label %strip

strip:
  %k.strip = phi i32 [ 0, %strip.gate ], [ %k.after, %way ]
  %strip.count = phi i64 [ 0, %strip.gate ], [ %strip.counted, %way ]
  %8 = trunc i64 %strip.length to i32
  %9 = mul i32 1, %8
  %k.after = add i32 %k.strip, %9
  %strip.counted = add i64 %strip.count, %strip.length
  %10 = sub i64 %trips, %strip.count
  %11 = icmp ule i64 %10, %strip.length
  br label %strip.before

strip.before:
  call void @weft.barrier()
  br label %strip.body

strip.body:
  %x.2 = trunc i64 %x64 to i32
  %few.2 = icmp slt i32 %x.2, 6
  %some.2 = icmp sgt i32 %n, 0
  %inside.2 = and i1 %few.2, %some.2
  br i1 %inside.2, label %strip.first, label %strip.end

strip.first:
  %x.3 = trunc i64 %x64 to i32
  %sum.1 = load i32, ptr %sum, align 4
  br label %loop

loop:
  %k = phi i32 [ %k.next, %loop ], [ %k.strip, %strip.first ]
  %sum.2 = phi i32 [ %sum.next, %loop ], [ %sum.1, %strip.first ]
  %strip.index = phi i64 [ 0, %strip.first ], [ %strip.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x.3
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, 3
  %sum.next = add i32 %sum.2, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ne i32 %k.next, %n
  %strip.next = add nuw nsw i64 %strip.index, 1
  %12 = icmp ne i64 %strip.next, %strip.length
  %13 = and i1 %more, %12
  br i1 %13, label %loop, label %strip.last

strip.last:
  %sum.next.1 = phi i32 [ %sum.next, %loop ]
  store i32 %sum.next.1, ptr %sum, align 4
  br label %strip.end

strip.end:
  br label %strip.barrier

strip.barrier:
  call void @weft.barrier()
  br i1 %11, label %way.1, label %way

way:
  br label %strip

way.1:
  br label %strip.after

strip.after:
  %x.4 = trunc i64 %x64 to i32
  %few.3 = icmp slt i32 %x.4, 6
  %some.3 = icmp sgt i32 %n, 0
  %inside.3 = and i1 %few.3, %some.3
  br i1 %inside.3, label %strip.results, label %out

strip.results:
  %sum.next.2 = load i32, ptr %sum, align 4
  br label %done

done:
  %result = phi i32 [ %sum.next.2, %strip.results ]
  %y.1 = trunc i64 %y64 to i32
  %x.5 = trunc i64 %x64 to i32
  %line = shl nsw i32 %y.1, 3
  %to = add nsw i32 %line, %x.5
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  br label %out

out:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent
; passed: block-loops: @k: Blocked: it runs in strips of 128 iterations: work-items read the same columns
