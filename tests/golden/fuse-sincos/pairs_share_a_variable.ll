; The cosine of each pair is read at once, so that pairs of one type need one variable, in loops and branches too.
;! shows: fires
;! opt: -p fuse-sincos
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %x = load float, ptr addrspace(1) %a, align 4
  %s = call float @_Z3sinf(float %x)
  %c = call float @_Z3cosf(float %x)
  %first = fdiv float %s, %c
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %y = phi float [ %first, %entry ], [ %z, %loop ]
  %d = call float @_Z3cosf(float %y)
  %t = call float @_Z3sinf(float %y)
  %z = fdiv float %d, %t
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %wide = fpext float %z to double
  %sw = call double @_Z3sind(double %wide)
  %cw = call double @_Z3cosd(double %wide)
  %p = fmul double %sw, %cw
  store double %p, ptr addrspace(1) %a, align 8
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)

declare double @_Z3sind(double)

declare double @_Z3cosd(double)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %cosine = alloca double, align 8
  %cosine.1 = alloca float, align 4
  %x = load float, ptr addrspace(1) %a, align 4
  %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %cosine.1)
  %c = load float, ptr %cosine.1, align 4
  %first = fdiv float %s, %c
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %y = phi float [ %first, %entry ], [ %z, %loop ]
  %t = call float @_Z6sincosfPU9CLprivatef(float %y, ptr %cosine.1)
  %d = load float, ptr %cosine.1, align 4
  %z = fdiv float %d, %t
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %wide = fpext float %z to double
  %sw = call double @_Z6sincosdPU9CLprivated(double %wide, ptr %cosine)
  %cw = load double, ptr %cosine, align 8
  %p = fmul double %sw, %cw
  store double %p, ptr addrspace(1) %a, align 8
  ret void
}

declare float @_Z3sinf(float)

declare float @_Z3cosf(float)

declare double @_Z3sind(double)

declare double @_Z3cosd(double)

declare float @_Z6sincosfPU9CLprivatef(float, ptr)

declare double @_Z6sincosdPU9CLprivated(double, ptr)
