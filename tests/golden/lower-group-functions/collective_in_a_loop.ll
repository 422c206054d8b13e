; Loops keep their form: what leaves the inner loop passes through a phi, and the outer latch stays single.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 6 / 3
;! arg a: arange(6, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %v = phi i32 [ %x, %entry ], [ %r, %loop ]
  %r = call i32 @_Z29work_group_scan_inclusive_addi(i32 %v)
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 3
  br i1 %more, label %loop, label %end

end:
  %r.end = phi i32 [ %r, %loop ]
  store i32 %r.end, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z29work_group_scan_inclusive_addi(i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %scan_inclusive.done ]
  %v = phi i32 [ %x, %entry ], [ %r, %scan_inclusive.done ]
  %0 = call i64 @_Z19get_local_linear_idv()
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0
  store i32 %v, ptr addrspace(3) %own, align 4
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
  %6 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 0
  %element = load i32, ptr addrspace(3) %6, align 4
  br label %header

header:
  %i.1 = phi i64 [ 1, %scan_inclusive ], [ %i.next, %body ]
  %value = phi i32 [ %element, %scan_inclusive ], [ %8, %body ]
  %more = icmp ult i64 %i.1, %items
  br i1 %more, label %body, label %exit

body:
  %7 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %i.1
  %element.1 = load i32, ptr addrspace(3) %7, align 4
  %8 = add i32 %value, %element.1
  store i32 %8, ptr addrspace(3) %7, align 4
  %i.next = add nuw nsw i64 %i.1, 1
  br label %header, !llvm.loop !1

exit:
  br label %scan_inclusive.done

scan_inclusive.done:
  call void @weft.barrier()
  %r = load i32, ptr addrspace(3) %own, align 4
  %k.next = add i32 %k, 1
  %more.1 = icmp ult i32 %k.next, 3
  br i1 %more.1, label %loop, label %end

end:
  %r.end = phi i32 [ %r, %scan_inclusive.done ]
  store i32 %r.end, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
