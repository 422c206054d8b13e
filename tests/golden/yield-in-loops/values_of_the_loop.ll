; The loop carries a value, and two edges go back: what its phis get comes from the blocks that count.
;! shows: fires
;! opt: -p yield-in-loops
;! launch: 4 / 4
;! arg flag: array([5], int32)
;! arg a: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %flag, ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %spin

spin:
  %n = phi i32 [ 0, %entry ], [ %twice, %spin ], [ %once, %odd ]
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %twice = add i32 %n, 2
  %low = icmp slt i32 %twice, %v
  br i1 %low, label %spin, label %odd

odd:
  %once = add i32 %n, 1
  %end = icmp sge i32 %once, %v
  br i1 %end, label %done, label %spin

done:
  store i32 %once, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %flag, ptr addrspace(1) %a) {
entry:
  %countdown = alloca i32, align 4
  store i32 256, ptr %countdown, align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %spin

spin:
  %n = phi i32 [ 0, %entry ], [ %twice, %spin.next ], [ %once, %odd.next ]
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %twice = add i32 %n, 2
  %low = icmp slt i32 %twice, %v
  br i1 %low, label %spin.again, label %odd

odd:
  %once = add i32 %n, 1
  %end = icmp sge i32 %once, %v
  br i1 %end, label %done, label %odd.again

done:
  store i32 %once, ptr addrspace(1) %p, align 4
  ret void

spin.again:
  %left = load i32, ptr %countdown, align 4
  %less = add i32 %left, -1
  store i32 %less, ptr %countdown, align 4
  %enough = icmp eq i32 %less, 0
  br i1 %enough, label %spin.yield, label %spin.next, !prof !0

spin.yield:
  call void @weft_yield()
  store i32 256, ptr %countdown, align 4
  br label %spin.next

spin.next:
  br label %spin

odd.again:
  %left.1 = load i32, ptr %countdown, align 4
  %less.1 = add i32 %left.1, -1
  store i32 %less.1, ptr %countdown, align 4
  %enough.1 = icmp eq i32 %less.1, 0
  br i1 %enough.1, label %odd.yield, label %odd.next, !prof !1

odd.yield:
  call void @weft_yield()
  store i32 256, ptr %countdown, align 4
  br label %odd.next

odd.next:
  br label %spin
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft_yield()


!0 = !{!"branch_weights", i32 1, i32 256}
!1 = !{!"branch_weights", i32 1, i32 256}
