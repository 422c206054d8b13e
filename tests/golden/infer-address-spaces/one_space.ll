; Pointers that are computed from global memory alone are global, also round a loop and with null as another choice;
; the built-in for global pointers is called, and questions where they point to have answers.
;! shows: fires
;! opt: -p infer-address-spaces --remarks infer-address-spaces
;! launch: 4 / 2
;! arg a: arange(12, dtype=int32)
;! arg n: 3
@v = addrspace(1) global i32 5, align 4
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %g = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %start = getelementptr i32, ptr addrspace(4) %g, i64 %i
  %more = icmp sgt i32 %n, 0
  br label %loop

loop:
  %p = phi ptr addrspace(4) [ %start, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %next = getelementptr i32, ptr addrspace(4) %p, i64 1
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %n
  br i1 %again, label %loop, label %end

end:
  %q = phi ptr addrspace(4) [ %p, %loop ]
  %chosen = select i1 %more, ptr addrspace(4) %q, ptr addrspace(4) null
  %there = icmp ne ptr addrspace(4) %chosen, null
  %local = call i1 @weft.is_local(ptr addrspace(4) %chosen)
  %global = call i1 @weft.is_global(ptr addrspace(4) %chosen)
  %x = load i32, ptr addrspace(4) %chosen, align 4
  %y = load i32, ptr addrspace(4) addrspacecast (ptr addrspace(1) @v to ptr addrspace(4)), align 4
  %l = zext i1 %local to i32
  %t = zext i1 %global to i32
  %s = zext i1 %there to i32
  %1 = add i32 %x, %y
  %2 = add i32 %1, %l
  %3 = add i32 %2, %t
  %4 = add i32 %3, %s
  %out = getelementptr i32, ptr addrspace(4) %g, i64 8
  %to = getelementptr i32, ptr addrspace(4) %out, i64 %i
  store i32 %4, ptr addrspace(4) %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i1 @weft.is_local(ptr addrspace(4))

declare i1 @weft.is_global(ptr addrspace(4))
; ---- expected

@v = addrspace(1) global i32 5, align 4

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %start = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %more = icmp sgt i32 %n, 0
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %next = getelementptr i32, ptr addrspace(1) %p, i64 1
  %k.next = add i32 %k, 1
  %again = icmp slt i32 %k.next, %n
  br i1 %again, label %loop, label %end

end:
  %q = phi ptr addrspace(1) [ %p, %loop ]
  %chosen = select i1 %more, ptr addrspace(1) %q, ptr addrspace(1) null
  %there = icmp ne ptr addrspace(1) %chosen, null
  %x = load i32, ptr addrspace(1) %chosen, align 4
  %y = load i32, ptr addrspace(1) @v, align 4
  %l = zext i1 false to i32
  %t = zext i1 true to i32
  %s = zext i1 %there to i32
  %0 = add i32 %x, %y
  %1 = add i32 %0, %l
  %2 = add i32 %1, %t
  %3 = add i32 %2, %s
  %out = getelementptr i32, ptr addrspace(1) %a, i64 8
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %3, ptr addrspace(1) %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; passed: infer-address-spaces: @k: Inferred: the address spaces of 9 generic pointers are inferred
