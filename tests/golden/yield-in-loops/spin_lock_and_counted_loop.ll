; A loop that waits for a flag lets others run after many iterations; one that only counts does not.
;! shows: fires
;! opt: -p yield-in-loops
;! launch: 4 / 4
;! arg flag: ones(1, int32)
;! arg a: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %flag, ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %spin

spin:
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %count, label %spin

count:
  %n = phi i32 [ 0, %spin ], [ %n.next, %count ]
  %n.next = add i32 %n, %v
  %more = icmp ult i32 %n.next, 5
  br i1 %more, label %count, label %done

done:
  store i32 %n.next, ptr addrspace(1) %p, align 4
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
  %v = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %count, label %spin.again

count:
  %n = phi i32 [ 0, %spin ], [ %n.next, %count ]
  %n.next = add i32 %n, %v
  %more = icmp ult i32 %n.next, 5
  br i1 %more, label %count, label %done

done:
  store i32 %n.next, ptr addrspace(1) %p, align 4
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
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft_yield()


!0 = !{!"branch_weights", i32 1, i32 256}
