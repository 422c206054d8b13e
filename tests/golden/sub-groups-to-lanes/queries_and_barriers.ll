; Queries are computed from local ids; a barrier of the sub-group becomes one of the work-group.
;! shows: fires
;! opt: -p sub-groups-to-lanes --local-size 16,2
;! launch: (32, 4) / (16, 2)
;! arg a: arange(128, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %lane = call i32 @_Z22get_sub_group_local_idv()
  %id = call i32 @_Z16get_sub_group_idv()
  %count = call i32 @_Z18get_num_sub_groupsv()
  call void @_Z17sub_group_barrierj(i32 1)
  %size = call i32 @_Z18get_sub_group_sizev()
  %row = mul i32 %id, %size
  %at = add i32 %row, %lane
  %r = mul i32 %at, %count
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i32 @_Z22get_sub_group_local_idv()

declare i32 @_Z16get_sub_group_idv()

declare i32 @_Z18get_num_sub_groupsv()

declare i32 @_Z18get_sub_group_sizev()

declare void @_Z17sub_group_barrierj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %0 = call i64 @_Z12get_local_idj(i32 0)
  %x.id = trunc i64 %0 to i32
  %lane = and i32 %x.id, 15
  %sub_group = lshr i32 %x.id, 4
  %1 = call i64 @_Z12get_local_idj(i32 1)
  %2 = trunc i64 %1 to i32
  %3 = add i32 %sub_group, %2
  %i = call i64 @_Z20get_global_linear_idv()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  call void @weft.barrier()
  %row = mul i32 %3, 16
  %at = add i32 %row, %lane
  %r = mul i32 %at, 2
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z20get_global_linear_idv()

declare i64 @_Z12get_local_idj(i32)

declare void @weft.barrier() convergent
