; Data decides where the next element is: no column.
;! shows: leaves alone
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
  %at = phi i32 [ 0, %entry ], [ %at.next, %loop ]
  %j64 = zext i32 %at to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %at.next = urem i32 %m, 300
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 300
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %at.next, %loop ]
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
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %at = phi i32 [ 0, %entry ], [ %at.next, %loop ]
  %j64 = zext i32 %at to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j64
  %m = load i32, ptr addrspace(1) %q, align 4
  %at.next = urem i32 %m, 300
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k.next, 300
  br i1 %more, label %loop, label %done

done:
  %result = phi i32 [ %at.next, %loop ]
  %line = shl nsw i32 %y, 3
  %to = add nsw i32 %line, %x
  %to64 = sext i32 %to to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %to64
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
