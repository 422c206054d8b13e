; A comparison and a choice, since the result for NaN does not matter.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 4 / 4
;! arg a: array([1, -3, 7, 2], float64)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr double, ptr addrspace(1) %a, i64 %i
  %x = load double, ptr addrspace(1) %p, align 8
  %r = call double @_Z21work_group_reduce_maxd(double %x)
  store double %r, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare double @_Z21work_group_reduce_maxd(double)
; ---- expected

@weft.items.double = external addrspace(3) global [0 x double]
@weft.result.double = external addrspace(3) global double

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr double, ptr addrspace(1) %a, i64 %i
  %x = load double, ptr addrspace(1) %p, align 8
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds double, ptr addrspace(3) @weft.items.double, i64 %0
  store double %x, ptr addrspace(3) %own, align 8
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %1, 0
  br i1 %first, label %reduce, label %reduce.done

reduce:
  %2 = call i64 @_Z14get_local_sizej(i32 0)
  %3 = call i64 @_Z14get_local_sizej(i32 1)
  %4 = call i64 @_Z14get_local_sizej(i32 2)
  %5 = mul i64 %2, %3
  %items = mul i64 %5, %4
  br label %header

header:
  %i.1 = phi i64 [ 0, %reduce ], [ %i.next, %body ]
  %value = phi double [ 0xFFF0000000000000, %reduce ], [ %7, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %6 = getelementptr inbounds double, ptr addrspace(3) @weft.items.double, i64 %i.1
  %element = load double, ptr addrspace(3) %6, align 8
  %7 = call double @llvm.maxnum.f64(double %value, double %element)
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi double [ %value, %header ]
  store double %last, ptr addrspace(3) @weft.result.double, align 8
  br label %reduce.done

reduce.done:
  call void @weft.barrier()
  %r = load double, ptr addrspace(3) @weft.result.double, align 8, !weft.uniform !2
  store double %r, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)

declare double @llvm.maxnum.f64(double, double)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
