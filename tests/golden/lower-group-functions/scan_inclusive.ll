; The loop starts with the second element.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: (2, 2, 2) / (2, 2, 1)
;! arg a: arange(8)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %r = call i64 @_Z29work_group_scan_inclusive_addl(i64 %x)
  store i64 %r, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i64 @_Z29work_group_scan_inclusive_addl(i64)
; ---- expected

@weft.items.i64 = external addrspace(3) global [0 x i64]

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i64, ptr addrspace(3) @weft.items.i64, i64 %0
  store i64 %x, ptr addrspace(3) %own, align 8
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %1, 0
  br i1 %first, label %scan_inclusive, label %scan_inclusive.done

scan_inclusive:
  %2 = call i64 @_Z14get_local_sizej(i32 0)
  %3 = call i64 @_Z14get_local_sizej(i32 1)
  %4 = call i64 @_Z14get_local_sizej(i32 2)
  %5 = mul i64 %2, %3
  %items = mul i64 %5, %4
  %6 = getelementptr inbounds i64, ptr addrspace(3) @weft.items.i64, i64 0
  %element = load i64, ptr addrspace(3) %6, align 8
  br label %header

header:
  %i.1 = phi i64 [ 1, %scan_inclusive ], [ %i.next, %body ]
  %value = phi i64 [ %element, %scan_inclusive ], [ %8, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %7 = getelementptr inbounds i64, ptr addrspace(3) @weft.items.i64, i64 %i.1
  %element.1 = load i64, ptr addrspace(3) %7, align 8
  %8 = add i64 %value, %element.1
  store i64 %8, ptr addrspace(3) %7, align 8
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  br label %scan_inclusive.done

scan_inclusive.done:
  call void @weft.barrier()
  %r = load i64, ptr addrspace(3) %own, align 8
  store i64 %r, ptr addrspace(1) %p, align 8
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
