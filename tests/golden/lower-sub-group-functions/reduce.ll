; The first work-item of a sub-group adds the values of all, and all read the sum.
;! shows: fires
;! opt: -p lower-sub-group-functions
;! launch: 40 / 20
;! arg a: arange(40, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %r = call i32 @_Z20sub_group_reduce_addi(i32 %x)
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]
@weft.result.sub_group.i32 = external addrspace(3) global i32

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @weft.sub_group_barrier()
  %1 = call i32 @_Z22get_sub_group_local_idv()
  %first = icmp eq i32 %1, 0
  br i1 %first, label %reduce, label %reduce.done

reduce:
  %2 = call i32 @_Z16get_sub_group_idv()
  %3 = zext i32 %2 to i64
  %first.item = mul i64 %3, 16
  %row = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %first.item
  %4 = call i32 @_Z18get_sub_group_sizev()
  %5 = zext i32 %4 to i64
  %6 = getelementptr inbounds i32, ptr addrspace(3) %row, i64 0
  %element = load i32, ptr addrspace(3) %6, align 4
  br label %header

header:
  %i.1 = phi i64 [ 1, %reduce ], [ %i.next, %body ]
  %value = phi i32 [ %element, %reduce ], [ %8, %body ]
  %more = icmp ult i64 %i.1, %5
  br i1 %more, label %body, label %exit

body:
  %7 = getelementptr inbounds i32, ptr addrspace(3) %row, i64 %i.1
  %element.1 = load i32, ptr addrspace(3) %7, align 4
  %8 = add i32 %value, %element.1
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  %last = phi i32 [ %value, %header ]
  store i32 %last, ptr addrspace(3) @weft.result.sub_group.i32, align 4
  br label %reduce.done

reduce.done:
  call void @weft.sub_group_barrier()
  %r = load i32, ptr addrspace(3) @weft.result.sub_group.i32, align 4, !weft.uniform !2
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.sub_group_barrier() convergent

declare i32 @_Z22get_sub_group_local_idv()

declare i64 @_Z19get_local_linear_idv()

declare i32 @_Z16get_sub_group_idv()

declare i32 @_Z18get_sub_group_sizev()


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
