; A barrier is the first instruction of the kernel and another one stands directly before the return.
;! shows: fires
;! opt: -p isolate-barriers
define spir_kernel void @k() {
  call void @_Z7barrierj(i32 1) #0
  call void @_Z7barrierj(i32 1) #0
  ret void
}

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define spir_kernel void @k() {
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 1) #0
  br label %after

after:
  br label %barrier.1

barrier.1:
  call void @_Z7barrierj(i32 1) #0
  br label %after.1

after.1:
  ret void
}

declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
