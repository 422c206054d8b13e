; A barrier between two regions, a value that lives across it, and accesses along x.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,describe-kernel --local-size 8 --remarks describe-kernel
;! launch: 16 / 8
;! arg a: arange(16, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2)
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry.barrier:
  call void @weft.barrier(), !weft.access !0
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0), !weft.access !1
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4, !weft.access !2
  br label %barrier

barrier:
  call void @_Z7barrierj(i32 2), !weft.access !3
  br label %after

after:
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4, !weft.access !4
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier(), !weft.access !5
  ret void
}

declare void @_Z7barrierj(i32)

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent


!0 = !{i32 0}
!1 = !{i32 1}
!2 = !{i32 2}
!3 = !{i32 3}
!4 = !{i32 4}
!5 = !{i32 5}
; analysis: describe-kernel: @k: Barrier: barrier b0: every kernel starts with one
; analysis: describe-kernel: @k: Barrier: barrier b1: it is in the source
; analysis: describe-kernel: @k: Barrier: barrier b2: every kernel ends with one
; analysis: describe-kernel: @k: Region: parallel region r0: 3 instructions
; analysis: describe-kernel: @k: Region: parallel region r1: 2 instructions
; analysis: describe-kernel: @k: Context: %v: 4 bytes in a context array for each work-item: varies by work-item; loaded from a
; analysis: describe-kernel: @k: Recomputed: %p: recomputed: 1 instruction on a and get_global_id
; analysis: describe-kernel: @k: Access: load global a: consecutive
; analysis: describe-kernel: @k: Access: store global a: consecutive
