; A switch ends the loop.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,block-loops --local-size 8,8 --remarks block-loops
;! launch: 8,8 / 8,8
;! arg codes: arange(300, dtype=int32)
;! arg b: arange(32 * 300, dtype=int32)
;! arg c: zeros(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(2) %codes, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %k64 = zext i32 %k to i64
  %row = shl i32 %k, 5
  %j = add i32 %row, %x
  %j64 = zext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %p, align 4
  %sum.next = add i32 %sum, %m
  %k.next = add nuw nsw i32 %k, 1
  %q = getelementptr i32, ptr addrspace(2) %codes, i64 %k64
  %code = load i32, ptr addrspace(2) %q, align 4
  switch i32 %code, label %loop [
    i32 200, label %done
    i32 1000, label %done
  ]

done:
  %result = phi i32 [ %sum.next, %loop ], [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(2) %codes, ptr addrspace(1) %b, ptr addrspace(1) %c) {
entry:
  %x64 = call i64 @_Z13get_global_idj(i32 0)
  %y64 = call i64 @_Z13get_global_idj(i32 1)
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %k64 = zext i32 %k to i64
  %row = shl i32 %k, 5
  %j = add i32 %row, %x
  %j64 = zext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %p, align 4
  %sum.next = add i32 %sum, %m
  %k.next = add nuw nsw i32 %k, 1
  %q = getelementptr i32, ptr addrspace(2) %codes, i64 %k64
  %code = load i32, ptr addrspace(2) %q, align 4
  switch i32 %code, label %loop [
    i32 200, label %done
    i32 1000, label %done
  ]

done:
  %result = phi i32 [ %sum.next, %loop ], [ %sum.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: block-loops: @k: NotBlocked: it does not run in strips: it is left elsewhere than in its first or last block, or by a switch
