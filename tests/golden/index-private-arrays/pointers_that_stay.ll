; Of three arrays the first has a pointer that is kept in memory, accesses to the second are of two sizes, and a loop
; that work-items leave at different times carries a pointer into the third.
;! shows: refuses
;! opt: -p index-private-arrays --remarks index-private-arrays
;! launch: 4 / 4
;! arg out: zeros(4, int32)
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %u = alloca [4 x i32], align 4
  %v = alloca [4 x i32], align 4
  %w = alloca [8 x i32], align 4
  %kept = alloca ptr, align 8
  %id = call i64 @_Z13get_global_idj(i32 0)
  %number = trunc i64 %id to i32
  %odd = trunc i64 %id to i1
  %u1 = getelementptr i32, ptr %u, i64 1
  %in.u = select i1 %odd, ptr %u, ptr %u1
  store i32 %number, ptr %in.u, align 4
  store ptr %in.u, ptr %kept, align 8
  %v1 = getelementptr i32, ptr %v, i64 1
  %in.v = select i1 %odd, ptr %v, ptr %v1
  store i32 %number, ptr %in.v, align 4
  %half = load i16, ptr %in.v, align 2
  br label %loop

loop:
  %top = phi ptr [ %w, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  store i32 %k, ptr %top, align 4
  %next = getelementptr i32, ptr %top, i64 1
  %k.next = add i32 %k, 1
  %more = icmp ule i32 %k.next, %number
  br i1 %more, label %loop, label %exit

exit:
  %last = phi ptr [ %top, %loop ]
  %one = load i32, ptr %last, align 4
  %again = load ptr, ptr %kept, align 8
  %two = load i32, ptr %again, align 4
  %three = zext i16 %half to i32
  %sum = add i32 %one, %two
  %found = add i32 %sum, %three
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

; ---- expected

define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %u = alloca [4 x i32], align 4
  %v = alloca [4 x i32], align 4
  %w = alloca [8 x i32], align 4
  %kept = alloca ptr, align 8
  %id = call i64 @_Z13get_global_idj(i32 0)
  %number = trunc i64 %id to i32
  %odd = trunc i64 %id to i1
  %u1 = getelementptr i32, ptr %u, i64 1
  %in.u = select i1 %odd, ptr %u, ptr %u1
  store i32 %number, ptr %in.u, align 4
  store ptr %in.u, ptr %kept, align 8
  %v1 = getelementptr i32, ptr %v, i64 1
  %in.v = select i1 %odd, ptr %v, ptr %v1
  store i32 %number, ptr %in.v, align 4
  %half = load i16, ptr %in.v, align 2
  br label %loop

loop:
  %top = phi ptr [ %w, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  store i32 %k, ptr %top, align 4
  %next = getelementptr i32, ptr %top, i64 1
  %k.next = add i32 %k, 1
  %more = icmp ule i32 %k.next, %number
  br i1 %more, label %loop, label %exit

exit:
  %last = phi ptr [ %top, %loop ]
  %one = load i32, ptr %last, align 4
  %again = load ptr, ptr %kept, align 8
  %two = load i32, ptr %again, align 4
  %three = zext i16 %half to i32
  %sum = add i32 %one, %two
  %found = add i32 %sum, %three
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; missed: index-private-arrays: @k: OtherUses: pointers into a private array stay: one is used by store, or is chosen among others
; missed: index-private-arrays: @k: NotWhole: pointers into a private array stay: its accesses are not to whole elements of one size
; missed: index-private-arrays: @k: Divergent: a pointer into a private array stays: a divergent loop advances it
