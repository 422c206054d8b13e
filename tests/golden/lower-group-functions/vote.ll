; A vote is about truth values.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 6 / 3
;! arg a: array([4, 2, 1, 4, 0, 1], int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z14work_group_alli(i32 %x)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i32 @_Z14work_group_alli(i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]
@weft.result.i32 = external addrspace(3) global i32

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  %1 = icmp ne i32 %x, 0
  %2 = zext i1 %1 to i32
  store i32 %2, ptr addrspace(3) %own, align 4
  call void @weft.barrier()
  %3 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %3, 0
  br i1 %first, label %all, label %all.done

all:
  %4 = call i64 @_Z14get_local_sizej(i32 0)
  %5 = call i64 @_Z14get_local_sizej(i32 1)
  %6 = call i64 @_Z14get_local_sizej(i32 2)
  %7 = mul i64 %4, %5
  %items = mul i64 %7, %6
  br label %header

header:
  %i.1 = phi i64 [ 0, %all ], [ %i.next, %body ]
  %value = phi i32 [ 1, %all ], [ %9, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %8 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %i.1
  %element = load i32, ptr addrspace(3) %8, align 4
  %9 = and i32 %value, %element
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi i32 [ %value, %header ]
  store i32 %last, ptr addrspace(3) @weft.result.i32, align 4
  br label %all.done

all.done:
  call void @weft.barrier()
  %r = load i32, ptr addrspace(3) @weft.result.i32, align 4, !weft.uniform !2
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
