; A store, a load and a call of a function that may do anything: all barriers stay.
;! shows: refuses
;! opt: -p remove-repeated-barriers --remarks remove-repeated-barriers
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(1) %a, align 4
  call void @_Z7barrierj(i32 1)
  %v = load i32, ptr addrspace(1) %a, align 4
  call void @_Z7barrierj(i32 1)
  call void @_Z1fi(i32 %v)
  call void @_Z7barrierj(i32 1)
  ret void
}

declare void @_Z1fi(i32)

declare void @_Z7barrierj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(1) %a, align 4
  call void @_Z7barrierj(i32 1)
  %v = load i32, ptr addrspace(1) %a, align 4
  call void @_Z7barrierj(i32 1)
  call void @_Z1fi(i32 %v)
  call void @_Z7barrierj(i32 1)
  ret void
}

declare void @_Z1fi(i32)

declare void @_Z7barrierj(i32)
; missed: remove-repeated-barriers: @k: CallBetween: barrier kept: _Z1fi may access memory after the previous one
