; After a barrier before which work-items may have returned, code has a copy that skips these.
;! shows: refuses
;! opt: -p sub-groups-to-lanes --local-size 32
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %number = load i32, ptr addrspace(1) %a, align 4
  %negative = icmp slt i32 %number, 0
  br i1 %negative, label %exit, label %waits

waits:
  call void @_Z7barrierj(i32 1)
  %sum = call i32 @_Z20sub_group_reduce_addi(i32 %number)
  store i32 %sum, ptr addrspace(1) %a, align 4
  br label %exit

exit:
  ret void
}

declare void @_Z7barrierj(i32)

declare i32 @_Z20sub_group_reduce_addi(i32)
; ---- expected
; weft opt: -: sub-groups cannot be SIMD lanes: work-items may return, or leave a loop, before a barrier that others reach
