; Divisors that may be zero, or -1 of a signed number, are replaced; known ones stay.
;! shows: fires
;! opt: -p guard-divisions --remarks guard-divisions
;! launch: 8 / 4
;! arg a: array([7, -7, 1, 100, -100, 3, 8, 9], int32)
;! arg b: array([2, -2, -1, 7, 7, 5, 8, -4], int32)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %id
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = load i32, ptr addrspace(1) %q, align 4
  %sd = sdiv i32 %x, %y
  %sr = srem i32 %x, %y
  %ud = udiv i32 %x, %y
  %ur = urem i32 %x, %y
  %known = sdiv i32 %x, 3
  %minus = srem i32 %x, -1
  %v = insertelement <2 x i32> <i32 5, i32 -5>, i32 %y, i32 0
  %vd = sdiv <2 x i32> <i32 9, i32 9>, %v
  %vk = udiv <2 x i32> %v, <i32 3, i32 4>
  %vs = add <2 x i32> %vd, %vk
  %e = extractelement <2 x i32> %vs, i32 0
  %s1 = add i32 %sd, %sr
  %s2 = add i32 %ud, %ur
  %s3 = add i32 %known, %minus
  %s4 = xor i32 %s1, %s2
  %s5 = xor i32 %s4, %s3
  %s6 = xor i32 %s5, %e
  store i32 %s6, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %id
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = load i32, ptr addrspace(1) %q, align 4
  %0 = add i32 %y, 1
  %1 = icmp ult i32 %0, 2
  %2 = select i1 %1, i32 1, i32 %y
  %3 = sub i32 0, %x
  %sd = sdiv i32 %x, %2
  %4 = select i1 %1, i32 %3, i32 %sd
  %5 = add i32 %y, 1
  %6 = icmp ult i32 %5, 2
  %7 = select i1 %6, i32 1, i32 %y
  %sr = srem i32 %x, %7
  %8 = icmp eq i32 %y, 0
  %9 = select i1 %8, i32 1, i32 %y
  %ud = udiv i32 %x, %9
  %10 = icmp eq i32 %y, 0
  %11 = select i1 %10, i32 1, i32 %y
  %ur = urem i32 %x, %11
  %known = sdiv i32 %x, 3
  %12 = add i32 -1, 1
  %13 = icmp ult i32 %12, 2
  %14 = select i1 %13, i32 1, i32 -1
  %minus = srem i32 %x, %14
  %v = insertelement <2 x i32> <i32 5, i32 -5>, i32 %y, i32 0
  %15 = add <2 x i32> %v, splat (i32 1)
  %16 = icmp ult <2 x i32> %15, splat (i32 2)
  %17 = select <2 x i1> %16, <2 x i32> splat (i32 1), <2 x i32> %v
  %18 = sub <2 x i32> zeroinitializer, splat (i32 9)
  %vd = sdiv <2 x i32> splat (i32 9), %17
  %19 = select <2 x i1> %16, <2 x i32> %18, <2 x i32> %vd
  %vk = udiv <2 x i32> %v, <i32 3, i32 4>
  %vs = add <2 x i32> %19, %vk
  %e = extractelement <2 x i32> %vs, i32 0
  %s1 = add i32 %4, %sr
  %s2 = add i32 %ud, %ur
  %s3 = add i32 %known, %minus
  %s4 = xor i32 %s1, %s2
  %s5 = xor i32 %s4, %s3
  %s6 = xor i32 %s5, %e
  store i32 %s6, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: guard-divisions: @k: Guarded: an integer division (sdiv) is guarded: it may trap
; passed: guard-divisions: @k: Guarded: an integer division (srem) is guarded: it may trap
; passed: guard-divisions: @k: Guarded: an integer division (udiv) is guarded: it may trap
; passed: guard-divisions: @k: Guarded: an integer division (urem) is guarded: it may trap
; passed: guard-divisions: @k: Guarded: an integer division (srem) is guarded: it may trap
; passed: guard-divisions: @k: Guarded: an integer division (sdiv) is guarded: it may trap
