; A pointer to private or global memory stays generic, and so do one from memory and what is computed from both; the
; question about it stays too.
;! shows: fires
;! opt: -p infer-address-spaces
;! launch: 4 / 2
;! arg a: arange(8, dtype=int32)
;! arg n: 1
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %own = alloca i32, align 4
  %kept = alloca ptr addrspace(4), align 8
  store i32 7, ptr %own, align 4
  %o = addrspacecast ptr %own to ptr addrspace(4)
  %g = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  store ptr addrspace(4) %o, ptr %kept, align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %j = trunc i64 %i to i32
  %odd = trunc i32 %j to i1
  %p = select i1 %odd, ptr addrspace(4) %o, ptr addrspace(4) %g
  %q = load ptr addrspace(4), ptr %kept, align 8
  %x = load i32, ptr addrspace(4) %p, align 4
  %y = load i32, ptr addrspace(4) %q, align 4
  %private = call i1 @weft.is_private(ptr addrspace(4) %p)
  %t = zext i1 %private to i32
  %xy = add i32 %x, %y
  %all = add i32 %xy, %t
  %to = getelementptr i32, ptr addrspace(4) %g, i64 4
  %at = getelementptr i32, ptr addrspace(4) %to, i64 %i
  store i32 %all, ptr addrspace(4) %at, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i1 @weft.is_private(ptr addrspace(4))
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %own = alloca i32, align 4
  %kept = alloca ptr addrspace(4), align 8
  store i32 7, ptr %own, align 4
  %o = addrspacecast ptr %own to ptr addrspace(4)
  %g = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  store ptr addrspace(4) %o, ptr %kept, align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %j = trunc i64 %i to i32
  %odd = trunc i32 %j to i1
  %p = select i1 %odd, ptr addrspace(4) %o, ptr addrspace(4) %g
  %q = load ptr addrspace(4), ptr %kept, align 8
  %x = load i32, ptr addrspace(4) %p, align 4
  %y = load i32, ptr addrspace(4) %q, align 4
  %private = call i1 @weft.is_private(ptr addrspace(4) %p)
  %t = zext i1 %private to i32
  %xy = add i32 %x, %y
  %all = add i32 %xy, %t
  %to = getelementptr i32, ptr addrspace(1) %a, i64 4
  %at = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %all, ptr addrspace(1) %at, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i1 @weft.is_private(ptr addrspace(4))
