; Four calls are inlined: those of the loop first, then the function that is called less often.
;! shows: fires
;! opt: -p keep-calls --limit builtin=100 --limit inlined=400 --remarks keep-calls
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ %x, %entry ], [ %w, %loop ]
  %s = call float @_Z3sinf(float %v) #0
  %t = call float @_Z3sinf(float %s) #0
  %w = call float @_Z3expf(float %t) #0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %p = call float @_Z3sinf(float %w) #0
  %q = call nnan float @_Z3sinf(float %p) alwaysinline nounwind
  %r = call float @_Z3sinf(float %q) #1
  %e = call float @_Z3expf(float %r)
  store float %e, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3expf(float)

attributes #0 = { alwaysinline nounwind willreturn memory(none) }
attributes #1 = { alwaysinline }
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ %x, %entry ], [ %w, %loop ]
  %s = call float @_Z3sinf(float %v) #0
  %t = call float @_Z3sinf(float %s) #0
  %w = call float @_Z3expf(float %t) #0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %p = call float @_Z3sinf(float %w) #2 noinline
  %q = call nnan float @_Z3sinf(float %p) nounwind noinline
  %r = call float @_Z3sinf(float %q) noinline
  %e = call float @_Z3expf(float %r)
  store float %e, ptr addrspace(1) %a, align 4
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3expf(float)

attributes #0 = { alwaysinline nounwind willreturn memory(none) }
attributes #1 = { alwaysinline }
attributes #2 = { nounwind willreturn memory(none) }
; passed: keep-calls: @k: Kept: 3 calls of sin not inlined: the copies would have 276 instructions
