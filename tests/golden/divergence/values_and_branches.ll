; Ids and loads are divergent, group ids, arguments and constant memory uniform; a divergent branch makes
; the phi behind it divergent.
;! opt: --analysis divergence
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(2) %table, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %g = call i64 @_Z12get_group_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %c = load i32, ptr addrspace(2) %table, align 4
  %u = add i32 %c, %n
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %then, label %join

then:
  %w = mul i32 %u, 2
  br label %join

join:
  %m = phi i32 [ %u, %entry ], [ %w, %then ]
  %first = icmp eq i64 %g, 0
  br i1 %first, label %both, label %end

both:
  br label %end

end:
  %r = phi i32 [ %u, %join ], [ %n, %both ]
  %s = add i32 %r, %m
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_group_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(2) %table, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)                              ; divergent
  %g = call i64 @_Z12get_group_idj(i32 0)                               ; uniform
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i                   ; divergent
  %v = load i32, ptr addrspace(1) %p, align 4                           ; divergent
  %c = load i32, ptr addrspace(2) %table, align 4                       ; uniform
  %u = add i32 %c, %n                                                   ; uniform
  %positive = icmp sgt i32 %v, 0                                        ; divergent
  br i1 %positive, label %then, label %join                             ; divergent branch

then:                                                                   ; divergent: not run by all work-items equally often
  %w = mul i32 %u, 2                                                    ; uniform
  br label %join

join:
  %m = phi i32 [ %u, %entry ], [ %w, %then ]                            ; divergent
  %first = icmp eq i64 %g, 0                                            ; uniform
  br i1 %first, label %both, label %end                                 ; uniform branch

both:
  br label %end

end:
  %r = phi i32 [ %u, %join ], [ %n, %both ]                             ; uniform
  %s = add i32 %r, %m                                                   ; divergent
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i64 @_Z12get_group_idj(i32)
