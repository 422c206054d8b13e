; All other accesses have constant indices: after the loop is unrolled, the array is four values.
;! shows: fires
;! opt: -p unroll-array-loops --remarks unroll-array-loops
;! launch: 8 / 4
;! arg out: zeros(32, float32)
;! arg n: int32(3)
define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %array = alloca [4 x float], align 4
  %first = getelementptr float, ptr %array, i64 0
  store float 1.0, ptr %first, align 4
  %second = getelementptr float, ptr %array, i64 1
  store float 2.0, ptr %second, align 4
  %third = getelementptr float, ptr %array, i64 2
  store float 3.0, ptr %third, align 4
  %fourth = getelementptr float, ptr %array, i64 3
  store float 4.0, ptr %fourth, align 4
  call void @_Z7barrierj(i32 1)
  %id = call i64 @_Z13get_global_idj(i32 0)
  %row = shl i64 %id, 2
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %from = getelementptr float, ptr %array, i64 %i
  %value = load float, ptr %from, align 4
  %place = add i64 %row, %i
  %to = getelementptr float, ptr addrspace(1) %out, i64 %place
  store float %value, ptr addrspace(1) %to, align 4
  %i.next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i.next, 4
  br i1 %again, label %loop, label %end

end:
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %array = alloca [4 x float], align 4
  %first = getelementptr float, ptr %array, i64 0
  store float 1.000000e+00, ptr %first, align 4
  %second = getelementptr float, ptr %array, i64 1
  store float 2.000000e+00, ptr %second, align 4
  %third = getelementptr float, ptr %array, i64 2
  store float 3.000000e+00, ptr %third, align 4
  %fourth = getelementptr float, ptr %array, i64 3
  store float 4.000000e+00, ptr %fourth, align 4
  call void @_Z7barrierj(i32 1)
  %id = call i64 @_Z13get_global_idj(i32 0)
  %row = shl i64 %id, 2
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %from = getelementptr float, ptr %array, i64 %i
  %value = load float, ptr %from, align 4
  %place = add i64 %row, %i
  %to = getelementptr float, ptr addrspace(1) %out, i64 %place
  store float %value, ptr addrspace(1) %to, align 4
  %i.next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i.next, 4
  br i1 %again, label %loop, label %end, !llvm.loop !1

end:
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)


!0 = !{!"llvm.loop.unroll.full"}
!1 = distinct !{!1, !0}
; passed: unroll-array-loops: @k: Unrolled: loop unrolled, so that a private array is promoted to registers
