; What a work-group computes together is uniform, and a branch on it too; an element of a scan is not.
;! opt: -p lower-group-functions --analysis divergence
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %any = call i32 @_Z14work_group_anyi(i32 %x)
  %scan = call i32 @_Z29work_group_scan_inclusive_addi(i32 %x)
  %some = icmp ne i32 %any, 0
  br i1 %some, label %store, label %end

store:
  store i32 %scan, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z14work_group_anyi(i32)

declare i32 @_Z29work_group_scan_inclusive_addi(i32)
; ---- expected

@weft.items.i32 = external addrspace(3) global [0 x i32]
@weft.result.i32 = external addrspace(3) global i32

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)                              ; divergent
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; divergent
  %x = load i32, ptr addrspace(1) %p, align 4                           ; divergent
  %0 = call i64 @_Z19get_local_linear_idv()                             ; divergent
  %own = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %0 ; divergent
  %1 = icmp ne i32 %x, 0                                                ; divergent
  %2 = zext i1 %1 to i32                                                ; divergent
  store i32 %2, ptr addrspace(3) %own, align 4
  call void @weft.barrier()
  %3 = call i64 @_Z19get_local_linear_idv()                             ; divergent
  %first = icmp eq i64 %3, 0                                            ; divergent
  br i1 %first, label %any, label %any.done                             ; divergent branch

any:                                                                    ; divergent: not run by all work-items equally often
  %4 = call i64 @_Z14get_local_sizej(i32 0)                             ; uniform
  %5 = call i64 @_Z14get_local_sizej(i32 1)                             ; uniform
  %6 = call i64 @_Z14get_local_sizej(i32 2)                             ; uniform
  %7 = mul i64 %4, %5                                                   ; uniform
  %items = mul i64 %7, %6                                               ; uniform
  br label %header

header:                                                                 ; divergent: not run by all work-items equally often
  %i.1 = phi i64 [ 0, %any ], [ %i.next, %body ]                        ; uniform
  %value = phi i32 [ 0, %any ], [ %9, %body ]                           ; divergent
  %more = icmp ult i64 %i.1, %items                                     ; uniform
  br i1 %more, label %body, label %exit                                 ; uniform branch

body:                                                                   ; divergent: not run by all work-items equally often
  %8 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %i.1 ; uniform
  %element = load i32, ptr addrspace(3) %8, align 4                     ; divergent
  %9 = or i32 %value, %element                                          ; divergent
  %i.next = add nuw nsw i64 %i.1, 1                                     ; uniform
  br label %header, !llvm.loop !1

exit:                                                                   ; divergent: not run by all work-items equally often
  %last = phi i32 [ %value, %header ]                                   ; divergent
  store i32 %last, ptr addrspace(3) @weft.result.i32, align 4
  br label %any.done

any.done:
  call void @weft.barrier()
  %any.1 = load i32, ptr addrspace(3) @weft.result.i32, align 4, !weft.uniform !2 ; uniform
  %10 = call i64 @_Z19get_local_linear_idv()                            ; divergent
  %own.1 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %10 ; divergent
  store i32 %x, ptr addrspace(3) %own.1, align 4
  call void @weft.barrier()
  %11 = call i64 @_Z19get_local_linear_idv()                            ; divergent
  %first.1 = icmp eq i64 %11, 0                                         ; divergent
  br i1 %first.1, label %scan_inclusive, label %scan_inclusive.done     ; divergent branch

scan_inclusive:                                                         ; divergent: not run by all work-items equally often
  %12 = call i64 @_Z14get_local_sizej(i32 0)                            ; uniform
  %13 = call i64 @_Z14get_local_sizej(i32 1)                            ; uniform
  %14 = call i64 @_Z14get_local_sizej(i32 2)                            ; uniform
  %15 = mul i64 %12, %13                                                ; uniform
  %items.1 = mul i64 %15, %14                                           ; uniform
  %16 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 0 ; uniform
  %element.1 = load i32, ptr addrspace(3) %16, align 4                  ; divergent
  br label %header.1

header.1:                                                               ; divergent: not run by all work-items equally often
  %i.2 = phi i64 [ 1, %scan_inclusive ], [ %i.next.1, %body.1 ]         ; uniform
  %value.1 = phi i32 [ %element.1, %scan_inclusive ], [ %18, %body.1 ]  ; divergent
  %more.1 = icmp ult i64 %i.2, %items.1                                 ; uniform
  br i1 %more.1, label %body.1, label %exit.1                           ; uniform branch

body.1:                                                                 ; divergent: not run by all work-items equally often
  %17 = getelementptr inbounds i32, ptr addrspace(3) @weft.items.i32, i64 %i.2 ; uniform
  %element.2 = load i32, ptr addrspace(3) %17, align 4                  ; divergent
  %18 = add i32 %value.1, %element.2                                    ; divergent
  store i32 %18, ptr addrspace(3) %17, align 4
  %i.next.1 = add nuw nsw i64 %i.2, 1                                   ; uniform
  br label %header.1, !llvm.loop !4

exit.1:                                                                 ; divergent: not run by all work-items equally often
  br label %scan_inclusive.done

scan_inclusive.done:
  call void @weft.barrier()
  %scan = load i32, ptr addrspace(3) %own.1, align 4                    ; divergent
  %some = icmp ne i32 %any.1, 0                                         ; uniform
  br i1 %some, label %store, label %end                                 ; uniform branch

store:
  store i32 %scan, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare i64 @_Z14get_local_sizej(i32)


!0 = !{!"weft.once_per_group"}
!1 = distinct !{!1, !0}
!2 = !{}
!3 = !{!"weft.once_per_group"}
!4 = distinct !{!4, !3}
