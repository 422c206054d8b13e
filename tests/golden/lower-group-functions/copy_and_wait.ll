; A copy is one memcpy by the first work-item, waiting is a barrier, and the event's memory is gone.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %e = alloca ptr, align 8
  %group = call i64 @_Z12get_group_idj(i32 0)
  %start = shl i64 %group, 2
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %start
  %event = call ptr @_Z21async_work_group_copyPU7CLlocaliPU8CLglobalKim9ocl_event(ptr addrspace(3) @k.t, ptr addrspace(1) %from, i64 4, ptr null)
  store ptr %event, ptr %e, align 8
  call void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32 1, ptr %e)
  %l = call i64 @_Z12get_local_idj(i32 0)
  %other = sub i64 3, %l
  %p = getelementptr i32, ptr addrspace(3) @k.t, i64 %other
  %v = load i32, ptr addrspace(3) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %from, i64 %l
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_group_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare ptr @_Z21async_work_group_copyPU7CLlocaliPU8CLglobalKim9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, ptr)

declare void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32, ptr)
; ---- expected

@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %group = call i64 @_Z12get_group_idj(i32 0)
  %start = shl i64 %group, 2
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %start
  call void @weft.barrier()
  %0 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %0, 0
  br i1 %first, label %copy, label %copy.done

copy:
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 @k.t, ptr addrspace(1) align 4 %from, i64 16, i1 false)
  br label %copy.done

copy.done:
  call void @weft.barrier()
  call void @weft.barrier()
  %l = call i64 @_Z12get_local_idj(i32 0)
  %other = sub i64 3, %l
  %p = getelementptr i32, ptr addrspace(3) @k.t, i64 %other
  %v = load i32, ptr addrspace(3) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %from, i64 %l
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z12get_group_idj(i32)

declare i64 @_Z12get_local_idj(i32)

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
