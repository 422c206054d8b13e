; Work-items of a sub-group are lanes: they exchange values without memory.
;! shows: fires
;! opt: -p sub-groups-to-lanes --local-size 32
;! launch: 64 / 32
;! arg a: arange(64, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %least = call i32 @_Z20sub_group_reduce_mini(i32 %x)
  %other = call i32 @_Z21sub_group_shuffle_xorij(i32 %x, i32 5)
  %before = call i32 @_Z28sub_group_scan_exclusive_addi(i32 %x)
  %four = call i32 @_Z30sub_group_clustered_reduce_maxij(i32 %x, i32 4)
  %any = call i32 @_Z13sub_group_anyi(i32 %before)
  %1 = xor i32 %least, %other
  %2 = xor i32 %before, %four
  %3 = xor i32 %1, %2
  %r = add i32 %3, %any
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @_Z20sub_group_reduce_mini(i32)

declare i32 @_Z21sub_group_shuffle_xorij(i32, i32)

declare i32 @_Z28sub_group_scan_exclusive_addi(i32)

declare i32 @_Z30sub_group_clustered_reduce_maxij(i32, i32)

declare i32 @_Z13sub_group_anyi(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %0 = call i64 @_Z12get_local_idj(i32 0)
  %x.id = trunc i64 %0 to i32
  %lane = and i32 %x.id, 15
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %least = call i32 @weft.cross_lane.16.reduce.smin.i32(i32 %x)
  %1 = xor i32 %lane, 5
  %2 = and i32 %1, 15
  %other = call i32 @weft.cross_lane.16.shuffle.i32(i32 %x, i32 %2)
  %before = call i32 @weft.cross_lane.16.scan_exclusive.add.i32(i32 %x)
  %four = call i32 @weft.cross_lane.16.cluster.smax.i32(i32 %x, i32 4)
  %3 = icmp ne i32 %before, 0
  %any = call i32 @weft.cross_lane.16.ballot.i1(i1 %3)
  %4 = icmp ne i32 %any, 0
  %any.1 = zext i1 %4 to i32
  %5 = xor i32 %least, %other
  %6 = xor i32 %before, %four
  %7 = xor i32 %5, %6
  %r = add i32 %7, %any.1
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @weft.cross_lane.16.reduce.smin.i32(i32) convergent

declare i32 @weft.cross_lane.16.shuffle.i32(i32, i32) convergent

declare i32 @weft.cross_lane.16.scan_exclusive.add.i32(i32) convergent

declare i32 @weft.cross_lane.16.cluster.smax.i32(i32, i32) convergent

declare i32 @weft.cross_lane.16.ballot.i1(i1) convergent

declare i64 @_Z12get_local_idj(i32)
