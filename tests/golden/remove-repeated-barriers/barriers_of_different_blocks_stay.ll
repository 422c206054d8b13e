; The second barrier is also reached by another path: only barriers of one block are compared.
;! shows: leaves alone
;! opt: -p remove-repeated-barriers
define spir_kernel void @k(i1 %c) {
entry:
  call void @_Z7barrierj(i32 1)
  br i1 %c, label %left, label %right

left:
  br label %right

right:
  call void @_Z7barrierj(i32 1)
  ret void
}

declare void @_Z7barrierj(i32)
; ---- expected

define spir_kernel void @k(i1 %c) {
entry:
  call void @_Z7barrierj(i32 1)
  br i1 %c, label %left, label %right

left:
  br label %right

right:
  call void @_Z7barrierj(i32 1)
  ret void
}

declare void @_Z7barrierj(i32)
