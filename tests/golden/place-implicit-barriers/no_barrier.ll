; Entry and exit get barriers; a divergent branch without barriers stays inside its region.
;! shows: fires
;! opt: -p place-implicit-barriers
;! launch: 8 / 4
;! arg a: small_ints(8)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %then, label %end

then:
  store i32 0, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define spir_kernel void @k(ptr addrspace(1) %a) {
entry.barrier:
  call void @weft.barrier()
  br label %entry

entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %positive = icmp sgt i32 %v, 0
  br i1 %positive, label %then, label %end

then:
  store i32 0, ptr addrspace(1) %p, align 4
  br label %end

end:
  br label %exit.barrier

exit.barrier:
  call void @weft.barrier()
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare void @weft.barrier() convergent
