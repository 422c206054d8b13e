; `out[x * 4096 + y] = in[y * 4096 + x]`: groups along y write on in the same rows, so they run in blocks.
;! shows: fires
;! opt: -p group-order --local-size 16,16 --remarks group-order
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = shl nuw nsw i64 %y, 12
  %from = add nuw nsw i64 %row, %x
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = shl nuw nsw i64 %x, 12
  %to = add nuw nsw i64 %column, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %row = shl nuw nsw i64 %y, 12
  %from = add nuw nsw i64 %row, %x
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = shl nuw nsw i64 %x, 12
  %to = add nuw nsw i64 %column, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; analysis: group-order: @k: Blocks: work-groups are run in blocks of 32 x 32: an access is column-major
