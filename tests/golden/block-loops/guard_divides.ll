; The number of iterations takes a division under the guard: work-items outside do not compute it.
;! shows: refuses
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
  %inside = icmp slt i32 %x, 6
  br i1 %inside, label %first, label %out

first:
  %y.from = sext i32 %y to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %y.from
  %scale = load i32, ptr addrspace(1) %p, align 4
  %count = udiv i32 %n, 2
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %done

before:
  br label %loop

loop:
  %k = phi i32 [ 0, %before ], [ %k.next, %loop ]
  %sum = phi i32 [ %scale, %before ], [ %sum.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, %scale
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %count
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %scale, %first ], [ %sum.next, %loop ]
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
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %inside = icmp slt i32 %x, 6
  br i1 %inside, label %first, label %out

first:
  %y.from = sext i32 %y to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %y.from
  %scale = load i32, ptr addrspace(1) %p, align 4
  %count = udiv i32 %n, 2
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %done

before:
  br label %loop

loop:
  %k = phi i32 [ 0, %before ], [ %k.next, %loop ]
  %sum = phi i32 [ %scale, %before ], [ %sum.next, %loop ]
  %up = shl nsw i32 %k, 5
  %j = add nsw i32 %up, %x
  %j64 = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %product = mul i32 %m, %scale
  %sum.next = add i32 %sum, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %count
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %scale, %first ], [ %sum.next, %loop ]
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
; missed: block-loops: @k: NotBlocked: it does not run in strips: its trip count is divergent, or not all work-items enter it, and those outside cannot count
