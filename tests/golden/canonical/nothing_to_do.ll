; A loop in canonical form stays as it is.
;! shows: leaves alone
;! opt: -p canonical
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
;! arg n: int32(3)
source_filename = "<string>"

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi i32 [ %v, %entry ], [ %s.next, %loop ]
  %s.next = mul i32 %s, %v
  %k.next = add nuw i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %loop, label %exit

exit:
  %s.next.lcssa = phi i32 [ %s.next, %loop ]
  store i32 %s.next.lcssa, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected
source_filename = "<string>"

define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi i32 [ %v, %entry ], [ %s.next, %loop ]
  %s.next = mul i32 %s, %v
  %k.next = add nuw i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %loop, label %exit

exit:
  %s.next.lcssa = phi i32 [ %s.next, %loop ]
  store i32 %s.next.lcssa, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
