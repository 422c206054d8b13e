; Each work-item reads back its own element; the first one finds the largest number.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 6 / 3
;! arg a: array([7, 9, 3, 5, 6, 1], uint32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z29work_group_scan_exclusive_minj(i32 %x)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i32 @_Z29work_group_scan_exclusive_minj(i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %1, 0
  br i1 %first, label %scan_exclusive, label %scan_exclusive.done

scan_exclusive:
  %2 = call i64 @_Z14get_local_sizej(i32 0)
  %3 = call i64 @_Z14get_local_sizej(i32 1)
  %4 = call i64 @_Z14get_local_sizej(i32 2)
  %5 = mul i64 %2, %3
  %items = mul i64 %5, %4
  br label %header

header:
  %i.1 = phi i64 [ 0, %scan_exclusive ], [ %i.next, %body ]
  %value = phi i32 [ -1, %scan_exclusive ], [ %7, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %6 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %i.1
  %element = load i32, ptr addrspace(3) %6, align 4
  %7 = call i32 @llvm.umin.i32(i32 %value, i32 %element)
  store i32 %value, ptr addrspace(3) %6, align 4
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  br label %scan_exclusive.done

scan_exclusive.done:
  call void @weft.barrier()
  %r = load i32, ptr addrspace(3) %own, align 4
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)

declare i32 @llvm.umin.i32(i32, i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
