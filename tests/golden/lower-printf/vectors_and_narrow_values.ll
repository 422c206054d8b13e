; Vectors are split, narrow values are promoted, and a second argument describes the types.
;! shows: fires
;! opt: -p lower-printf
;! launch: 2 / 2
;! arg a: array([1, 2, 3, 4], float32)
@.str = private unnamed_addr addrspace(2) constant [21 x i8] c"%v2hlf %hd %ld %s %x\00"
@.str.1 = private unnamed_addr addrspace(2) constant [4 x i8] c"abc\00"

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %h = trunc i64 %i to i16
  %r = call i32 (ptr addrspace(2), ...) @weft.printf(ptr addrspace(2) @.str, <2 x float> %v, i16 %h, i64 %i, ptr addrspace(2) @.str.1, i32 7)
  %f = sitofp i32 %r to float
  %w = insertelement <2 x float> %v, float %f, i64 0
  store <2 x float> %w, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @weft.printf(ptr addrspace(2), ...)
; ---- expected

@.str = private unnamed_addr addrspace(2) constant [21 x i8] c"%v2hlf %hd %ld %s %x\00"
@.str.1 = private unnamed_addr addrspace(2) constant [4 x i8] c"abc\00"
@weft.printf.2dilpi = private unnamed_addr addrspace(2) constant [7 x i8] c"2dilpi\00"

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %h = trunc i64 %i to i16
  %0 = extractelement <2 x float> %v, i64 0
  %1 = extractelement <2 x float> %v, i64 1
  %2 = fpext float %0 to double
  %3 = fpext float %1 to double
  %4 = zext i16 %h to i32
  %5 = ptrtoint ptr addrspace(2) @.str.1 to i64
  %6 = call i32 (ptr addrspace(2), ptr addrspace(2), ...) @weft_printf(ptr addrspace(2) @.str, ptr addrspace(2) @weft.printf.2dilpi, double %2, double %3, i32 %4, i64 %i, i64 %5, i32 7)
  %f = sitofp i32 %6 to float
  %w = insertelement <2 x float> %v, float %f, i64 0
  store <2 x float> %w, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @weft.printf(ptr addrspace(2), ...)

declare i32 @weft_printf(ptr addrspace(2), ptr addrspace(2), ...)
