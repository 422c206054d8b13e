; The pass requires isolated barriers.
;! shows: refuses
;! opt: -p place-implicit-barriers
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  store i32 1, ptr addrspace(1) %a, align 4
  call void @_Z7barrierj(i32 2) #0
  ret void
}

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected
; weft opt: -: place-implicit-barriers requires isolated-barriers (a barrier is alone in its block, and its successors have no other predecessor), but in @k %entry holds more than a barrier and a terminator
