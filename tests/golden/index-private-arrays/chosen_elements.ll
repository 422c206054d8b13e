; One of two elements is chosen, and the next one is stored to.
;! shows: fires
;! opt: -p index-private-arrays --remarks index-private-arrays
;! launch: 4 / 4
;! arg out: zeros(4, int32)
;! arg a: array([3, 9, 0, 7], int32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  call void @llvm.memcpy.p0.p1.i64(ptr %v, ptr addrspace(1) %a, i64 16, i1 false)
  %odd = trunc i64 %id to i1
  %second = getelementptr i32, ptr %v, i64 1
  %third = getelementptr i32, ptr %v, i64 2
  %chosen = select i1 %odd, ptr %second, ptr %third
  %next = getelementptr i8, ptr %chosen, i64 4
  %one = load i32, ptr %chosen, align 4
  store i32 %one, ptr %next, align 4
  %further = select i1 %odd, i64 1, i64 0
  %p = getelementptr i32, ptr %chosen, i64 %further
  %is_second = icmp ult ptr %p, %third
  %two = load i32, ptr %p, align 4
  %found = select i1 %is_second, i32 1000, i32 %two
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %v = alloca [4 x i32], align 4
  %id = call i64 @_Z13get_global_idj(i32 0)
  call void @llvm.memcpy.p0.p1.i64(ptr %v, ptr addrspace(1) %a, i64 16, i1 false)
  %odd = trunc i64 %id to i1
  %chosen.element = select i1 %odd, i32 1, i32 2
  %0 = zext nneg i32 %chosen.element to i64
  %chosen = getelementptr i32, ptr %v, i64 %0
  %1 = add i32 %chosen.element, 1
  %2 = zext nneg i32 %1 to i64
  %next = getelementptr i32, ptr %v, i64 %2
  %one = load i32, ptr %chosen, align 4
  store i32 %one, ptr %next, align 4
  %3 = select i1 %odd, i32 1, i32 0
  %4 = add i32 %chosen.element, %3
  %5 = zext nneg i32 %4 to i64
  %p = getelementptr i32, ptr %v, i64 %5
  %is_second = icmp slt i32 %4, 2
  %two = load i32, ptr %p, align 4
  %found = select i1 %is_second, i32 1000, i32 %two
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
; passed: index-private-arrays: @k: Indexed: pointers into a private array become numbers of its elements
