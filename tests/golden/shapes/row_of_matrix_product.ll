; The row of one matrix is uniform along x, the column of the other one consecutive; the guard diverges in both.
;! opt: --analysis shapes
define spir_kernel void @k(ptr addrspace(1) noalias align 4 %a, ptr addrspace(1) noalias align 4 %b, ptr addrspace(1) align 4 %c, i32 %n) {
entry:
  %gx = call i64 @_Z13get_global_idj(i32 0)
  %gy = call i64 @_Z13get_global_idj(i32 1)
  %i = trunc i64 %gx to i32
  %j = trunc i64 %gy to i32
  %row = mul nsw i32 %j, %n
  %i.in = icmp slt i32 %i, %n
  %j.in = icmp slt i32 %j, %n
  %in = and i1 %i.in, %j.in
  br i1 %in, label %loop, label %end

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s.next, %loop ]
  %a.at = add nsw i32 %row, %k
  %a.wide = sext i32 %a.at to i64
  %a.p = getelementptr float, ptr addrspace(1) %a, i64 %a.wide
  %a.k = load float, ptr addrspace(1) %a.p, align 4
  %b.row = mul nsw i32 %k, %n
  %b.at = add nsw i32 %b.row, %i
  %b.wide = sext i32 %b.at to i64
  %b.p = getelementptr float, ptr addrspace(1) %b, i64 %b.wide
  %b.k = load float, ptr addrspace(1) %b.p, align 4
  %product = fmul float %a.k, %b.k
  %s.next = fadd float %s, %product
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %write

write:
  %s.out = phi float [ %s.next, %loop ]
  %c.at = add nsw i32 %row, %i
  %c.wide = sext i32 %c.at to i64
  %c.p = getelementptr float, ptr addrspace(1) %c, i64 %c.wide
  store float %s.out, ptr addrspace(1) %c.p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) noalias align 4 %a, ptr addrspace(1) noalias align 4 %b, ptr addrspace(1) align 4 %c, i32 %n) {
entry:
  %gx = call i64 @_Z13get_global_idj(i32 0)                             ; cont [0, 2147483647]
  %gy = call i64 @_Z13get_global_idj(i32 1)                             ; uni y:1 [0, 2147483647]
  %i = trunc i64 %gx to i32                                             ; cont [0, 2147483647]
  %j = trunc i64 %gy to i32                                             ; uni y:1 [0, 2147483647]
  %row = mul nsw i32 %j, %n                                             ; uni y:varying
  %i.in = icmp slt i32 %i, %n                                           ; x:varying
  %j.in = icmp slt i32 %j, %n                                           ; uni y:varying
  %in = and i1 %i.in, %j.in                                             ; x:varying y:varying
  br i1 %in, label %loop, label %end                                    ; divergent x y

loop:                                                                   ; not run by all along x y
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]                        ; uni [0, 2147483647]
  %s = phi float [ 0.000000e+00, %entry ], [ %s.next, %loop ]           ; x:varying y:varying
  %a.at = add nsw i32 %row, %k                                          ; uni y:varying
  %a.wide = sext i32 %a.at to i64                                       ; uni y:varying [-2147483648, 2147483647]
  %a.p = getelementptr float, ptr addrspace(1) %a, i64 %a.wide          ; uni y:varying
  %a.k = load float, ptr addrspace(1) %a.p, align 4                     ; uni y:varying
  %b.row = mul nsw i32 %k, %n                                           ; uni
  %b.at = add nsw i32 %b.row, %i                                        ; cont
  %b.wide = sext i32 %b.at to i64                                       ; cont [-2147483648, 2147483647]
  %b.p = getelementptr float, ptr addrspace(1) %b, i64 %b.wide          ; stride(4)
  %b.k = load float, ptr addrspace(1) %b.p, align 4                     ; x:varying
  %product = fmul float %a.k, %b.k                                      ; x:varying y:varying
  %s.next = fadd float %s, %product                                     ; x:varying y:varying
  %k.next = add nuw nsw i32 %k, 1                                       ; uni [1, 2147483647]
  %more = icmp slt i32 %k.next, %n                                      ; uni
  br i1 %more, label %loop, label %write                                ; uniform

write:                                                                  ; not run by all along x y
  %s.out = phi float [ %s.next, %loop ]                                 ; x:varying y:varying
  %c.at = add nsw i32 %row, %i                                          ; cont y:varying
  %c.wide = sext i32 %c.at to i64                                       ; cont y:varying [-2147483648, 2147483647]
  %c.p = getelementptr float, ptr addrspace(1) %c, i64 %c.wide          ; stride(4) y:varying
  store float %s.out, ptr addrspace(1) %c.p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
