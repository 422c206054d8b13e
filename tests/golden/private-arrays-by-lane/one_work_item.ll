; There is no loop over work-items, so there are no lanes.
;! shows: refuses
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane --local-size 1 --remarks private-arrays-by-lane
;! launch: 8 / 1
;! arg a: arange(8, dtype=int32)
;! arg n: 5
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %h = alloca [3 x i32], align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  call void @llvm.memset.p0.i64(ptr %h, i8 0, i64 12, i1 false)
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %s = add i32 %v, %k
  %e = urem i32 %s, 3
  %q = getelementptr [3 x i32], ptr %h, i64 0, i32 %e
  %o = load i32, ptr %q, align 4
  %m = add i32 %o, %k
  store i32 %m, ptr %q, align 4
  %k.next = add i32 %k, 1
  br label %header

exit:
  %last = getelementptr i8, ptr %h, i64 8
  %r = load i32, ptr %last, align 4
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
; ---- expected

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 2147483648) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
  %h = alloca [3 x i32], align 4
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %group.x, %offset.x
  %2 = trunc i64 %base.x to i32, !weft.id_bits !{i32 29}
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.item

region.0.item:
  %gid.x = zext nneg i32 %2 to i64
  br label %entry.1

entry.1:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  call void @llvm.memset.p0.i64(ptr %h, i8 0, i64 12, i1 false)
  br label %header

header:
  %k = phi i32 [ 0, %entry.1 ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %s = add i32 %v, %k
  %e = urem i32 %s, 3
  %q = getelementptr [3 x i32], ptr %h, i64 0, i32 %e
  %o = load i32, ptr %q, align 4
  %m = add i32 %o, %k
  store i32 %m, ptr %q, align 4
  %k.next = add i32 %k, 1
  br label %header

exit:
  %last = getelementptr i8, ptr %h, i64 8
  %r = load i32, ptr %last, align 4
  store i32 %r, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  br label %region.0.end

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
; missed: private-arrays-by-lane: @k: OutsideOfLoops: a private array of 12 bytes is used outside work-item loops
