; A strided copy is a loop: the stride is on the side of global memory. A vector of three is four elements.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 4 / 2
;! arg a: arange(36, dtype=float32).reshape(9, 4)
;! arg b: zeros((9, 4), float32)
;! arg t: 64
;! arg n: 4
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %n) {
entry:
  %in = call ptr @_Z29async_work_group_strided_copyPU7CLlocalDv3_fPU8CLglobalKS_mm9ocl_event(ptr addrspace(3) %t, ptr addrspace(1) %a, i64 %n, i64 2, ptr null)
  call void @_Z7barrierj(i32 3)
  %out = call ptr @_Z29async_work_group_strided_copyPU8CLglobalDv3_fPU7CLlocalKS_mm9ocl_event(ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %n, i64 1, ptr %in)
  ret void
}

declare ptr @_Z29async_work_group_strided_copyPU7CLlocalDv3_fPU8CLglobalKS_mm9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, i64, ptr)

declare ptr @_Z29async_work_group_strided_copyPU8CLglobalDv3_fPU7CLlocalKS_mm9ocl_event(ptr addrspace(1), ptr addrspace(3), i64, i64, ptr)

declare void @_Z7barrierj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %n) {
entry:
  call void @weft.barrier()
  %0 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %0, 0
  br i1 %first, label %copy, label %copy.done

copy:
  br label %header

header:
  %i = phi i64 [ 0, %copy ], [ %i.next, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %exit

body:
  %1 = mul i64 %i, 2
  %2 = getelementptr inbounds <4 x float>, ptr addrspace(1) %a, i64 %1
  %element = load <4 x float>, ptr addrspace(1) %2, align 16
  %3 = getelementptr inbounds <4 x float>, ptr addrspace(3) %t, i64 %i
  store <4 x float> %element, ptr addrspace(3) %3, align 16
  %i.next = add nuw nsw i64 %i, 1
  br label %header, !llvm.loop !1

exit:
  br label %copy.done

copy.done:
  call void @weft.barrier()
  call void @_Z7barrierj(i32 3)
  call void @weft.barrier()
  %4 = call i64 @_Z19get_local_linear_idv()
  %first.1 = icmp eq i64 %4, 0
  br i1 %first.1, label %copy.1, label %copy.done.1

copy.1:
  br label %header.1

header.1:
  %i.1 = phi i64 [ 0, %copy.1 ], [ %i.next.1, %body.1 ]
  %more.1 = icmp ult i64 %i.1, %n
  br i1 %more.1, label %body.1, label %exit.1

body.1:
  %5 = getelementptr inbounds <4 x float>, ptr addrspace(3) %t, i64 %i.1
  %element.1 = load <4 x float>, ptr addrspace(3) %5, align 16
  %6 = getelementptr inbounds <4 x float>, ptr addrspace(1) %b, i64 %i.1
  store <4 x float> %element.1, ptr addrspace(1) %6, align 16
  %i.next.1 = add nuw nsw i64 %i.1, 1
  br label %header.1, !llvm.loop !3

exit.1:
  br label %copy.done.1

copy.done.1:
  call void @weft.barrier()
  ret void
}

declare void @_Z7barrierj(i32)

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{!"weft.once_per_group"}
!3 = distinct !{!3, !2}
