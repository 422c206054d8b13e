; Automatic locals must have become parameters.
;! shows: refuses
;! opt: -p place-implicit-barriers,work-group-function
@k.t = internal addrspace(3) global i32 undef, align 4

define spir_kernel void @k() {
entry:
  store i32 1, ptr addrspace(3) @k.t, align 4
  ret void
}
; ---- expected
; weft opt: -: work-group-function requires locals-as-arguments (automatic local variables are parameters), but in @k an automatic local variable is used in %entry
