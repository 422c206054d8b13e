; Whether any component is positive is computed from scalar conditions; four bytes become one number.
;! shows: fires
;! opt: -p split-vectors
;! launch: 4 / 4
;! arg a: arange(16, dtype=int8).reshape(4, 4) - 7
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %turned = shufflevector <4 x i8> %v, <4 x i8> <i8 9, i8 poison, i8 poison, i8 poison>, <4 x i32> <i32 3, i32 4, i32 1, i32 0>
  %positive = icmp sgt <4 x i8> %turned, zeroinitializer
  %bits = bitcast <4 x i1> %positive to i4
  %some = icmp ne i4 %bits, 0
  %number = bitcast <4 x i8> %turned to i32
  %r = select i1 %some, i32 %number, i32 -1
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %0 = extractelement <4 x i8> %v, i32 0
  %1 = extractelement <4 x i8> %v, i32 1
  %2 = extractelement <4 x i8> %v, i32 3
  %positive.0 = icmp sgt i8 %2, 0
  %positive.1 = icmp sgt i8 9, 0
  %positive.2 = icmp sgt i8 %1, 0
  %positive.3 = icmp sgt i8 %0, 0
  %3 = or i1 %positive.0, %positive.1
  %4 = or i1 %3, %positive.2
  %5 = or i1 %4, %positive.3
  %6 = zext i8 %2 to i32
  %7 = zext i8 9 to i32
  %8 = shl i32 %7, 8
  %9 = or i32 %6, %8
  %10 = zext i8 %1 to i32
  %11 = shl i32 %10, 16
  %12 = or i32 %9, %11
  %13 = zext i8 %0 to i32
  %14 = shl i32 %13, 24
  %15 = or i32 %12, %14
  %r = select i1 %5, i32 %15, i32 -1
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
