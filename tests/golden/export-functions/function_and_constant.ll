; A function that a kernel calls can be called from other modules, and the constant has one address in all of them.
; Nothing is convergent any more.
;! shows: fires
;! opt: -p export-functions
@table = internal addrspace(2) constant [2 x i32] [i32 3, i32 4], align 4

define internal spir_func i32 @f(i32 %x) #0 {
entry:
  %p = getelementptr inbounds [2 x i32], ptr addrspace(2) @table, i32 0, i32 %x
  %y = load i32, ptr addrspace(2) %p, align 4
  ret i32 %y
}

define spir_kernel void @k(ptr addrspace(1) %a) #1 {
entry:
  %y = call spir_func i32 @f(i32 1) #0
  store i32 %y, ptr addrspace(1) %a, align 4
  ret void
}

attributes #0 = { convergent nounwind }
attributes #1 = { convergent }
; ---- expected

@table = linkonce_odr addrspace(2) constant [2 x i32] [i32 3, i32 4], align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %y = call spir_func i32 @weft.function.f(i32 1) #0
  store i32 %y, ptr addrspace(1) %a, align 4
  ret void
}

define spir_func i32 @weft.function.f(i32 %x) #0 {
entry:
  %p = getelementptr inbounds [2 x i32], ptr addrspace(2) @table, i32 0, i32 %x
  %y = load i32, ptr addrspace(2) %p, align 4
  ret i32 %y
}

attributes #0 = { nounwind }
