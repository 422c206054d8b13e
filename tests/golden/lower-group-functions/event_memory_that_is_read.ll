; An array of events is gone although one is handed on to the next copy; one that is read otherwise stays.
;! shows: fires
;! opt: -p lower-group-functions
;! launch: 4 / 2
;! arg a: array([1, 2, 0, 0], int16)
;! arg t: 4
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %events = alloca [2 x ptr], align 8
  %kept = alloca ptr, align 8
  %copied = alloca ptr, align 8
  %first = call ptr @_Z21async_work_group_copyPU7CLlocalsPU8CLglobalKsm9ocl_event(ptr addrspace(3) %t, ptr addrspace(1) %a, i64 2, ptr null)
  store ptr %first, ptr %events, align 8
  call void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32 1, ptr %events)
  %handed = load ptr, ptr %events, align 8
  %to = getelementptr i16, ptr addrspace(1) %a, i64 2
  %second = call ptr @_Z21async_work_group_copyPU8CLglobalsPU7CLlocalKsm9ocl_event(ptr addrspace(1) %to, ptr addrspace(3) %t, i64 2, ptr %handed)
  %next = getelementptr inbounds i8, ptr %events, i64 8
  store ptr %second, ptr %next, align 8
  call void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32 2, ptr %events)
  store ptr %second, ptr %kept, align 8
  %read = load ptr, ptr %kept, align 8
  store ptr %read, ptr %copied, align 8
  call void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32 1, ptr %kept)
  ret void
}

declare ptr @_Z21async_work_group_copyPU7CLlocalsPU8CLglobalKsm9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, ptr)

declare ptr @_Z21async_work_group_copyPU8CLglobalsPU7CLlocalKsm9ocl_event(ptr addrspace(1), ptr addrspace(3), i64, ptr)

declare void @_Z17wait_group_eventsiPU9CLprivate9ocl_event(i32, ptr)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %kept = alloca ptr, align 8
  %copied = alloca ptr, align 8
  call void @weft.barrier()
  %0 = call i64 @_Z19get_local_linear_idv()
  %first = icmp eq i64 %0, 0
  br i1 %first, label %copy, label %copy.done

copy:
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 2 %t, ptr addrspace(1) align 2 %a, i64 4, i1 false)
  br label %copy.done

copy.done:
  call void @weft.barrier()
  call void @weft.barrier()
  %to = getelementptr i16, ptr addrspace(1) %a, i64 2
  call void @weft.barrier()
  %1 = call i64 @_Z19get_local_linear_idv()
  %first.1 = icmp eq i64 %1, 0
  br i1 %first.1, label %copy.1, label %copy.done.1

copy.1:
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 2 %to, ptr addrspace(3) align 2 %t, i64 4, i1 false)
  br label %copy.done.1

copy.done.1:
  call void @weft.barrier()
  call void @weft.barrier()
  store ptr null, ptr %kept, align 8
  %read = load ptr, ptr %kept, align 8
  store ptr %read, ptr %copied, align 8
  call void @weft.barrier()
  ret void
}

declare void @weft.barrier() convergent

declare i64 @_Z19get_local_linear_idv()

declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)

declare void @llvm.memcpy.p1.p3.i64(ptr addrspace(1), ptr addrspace(3), i64, i1)
