; A structure is no value that a conversion of printf could print.
;! shows: refuses
;! opt: -p lower-printf
@.str = private unnamed_addr addrspace(2) constant [3 x i8] c"%d\00"

define spir_kernel void @k({ i32, float } %s) {
entry:
  %r = call i32 (ptr addrspace(2), ...) @weft.printf(ptr addrspace(2) @.str, { i32, float } %s)
  ret void
}

declare i32 @weft.printf(ptr addrspace(2), ...)
; ---- expected
; weft opt: -: printf does not print values of type { i32, float }
