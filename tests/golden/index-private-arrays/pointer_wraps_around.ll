; A pointer cycles through a private array in a loop with a uniform trip count.
;! shows: fires
;! opt: -p index-private-arrays --remarks index-private-arrays
;! launch: 4 / 4
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  %number = trunc i64 %id to i32
  call void @llvm.memset.p0.i64(ptr %v, i8 0, i64 16, i1 false)
  %end = getelementptr i32, ptr %v, i64 4
  br label %loop

loop:
  %p = phi ptr [ %v, %entry ], [ %wrapped, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = load i32, ptr %p, align 4
  %sum = add i32 %old, %number
  %new = add i32 %sum, %k
  store i32 %new, ptr %p, align 4
  %step = getelementptr i32, ptr %p, i64 1
  %is_end = icmp eq ptr %step, %end
  %wrapped = select i1 %is_end, ptr %v, ptr %step
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 11
  br i1 %more, label %loop, label %exit

exit:
  %last = phi ptr [ %p, %loop ]
  %found = load i32, ptr %last, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  %number = trunc i64 %id to i32
  call void @llvm.memset.p0.i64(ptr %v, i8 0, i64 16, i1 false)
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p.element = phi i32 [ 0, %entry ], [ %wrapped.element, %loop ]
  %0 = zext nneg i32 %p.element to i64
  %p = getelementptr i32, ptr %v, i64 %0
  %old = load i32, ptr %p, align 4
  %sum = add i32 %old, %number
  %new = add i32 %sum, %k
  store i32 %new, ptr %p, align 4
  %1 = add i32 %p.element, 1
  %is_end = icmp eq i32 %1, 4
  %wrapped.element = select i1 %is_end, i32 0, i32 %1
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 11
  br i1 %more, label %loop, label %exit

exit:
  %last.element = phi i32 [ %p.element, %loop ]
  %2 = zext nneg i32 %last.element to i64
  %last = getelementptr i32, ptr %v, i64 %2
  %found = load i32, ptr %last, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
; passed: index-private-arrays: @k: Indexed: pointers into a private array become numbers of its elements
