; The same load is not known to be one of a descriptor: it stays where it is.
;! shows: leaves alone
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,hoist-descriptors --local-size 8,1,1
define spir_kernel void @k(ptr %image, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  %0 = ptrtoint ptr %image to i64
  %1 = inttoptr i64 %0 to ptr addrspace(2)
  %2 = getelementptr i8, ptr addrspace(2) %1, i64 32
  %width = load i32, ptr addrspace(2) %2, align 4, !invariant.load !0
  %last = add i32 %width, -1
  %least = call i32 @llvm.smin.i32(i32 %x, i32 %last)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %least, ptr addrspace(1) %p, align 4
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)

declare i64 @_Z13get_global_idj(i32)

!0 = !{}
; ---- expected

declare i32 @llvm.smin.i32(i32, i32)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %image = load ptr, ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %out = load ptr addrspace(1), ptr %0, align 8
  %1 = mul i64 %group.x, 8
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %entry.1

entry.1:
  %x.1 = trunc i64 %gid.x.1 to i32
  %4 = ptrtoint ptr %image to i64
  %5 = inttoptr i64 %4 to ptr addrspace(2)
  %6 = getelementptr i8, ptr addrspace(2) %5, i64 32
  %width = load i32, ptr addrspace(2) %6, align 4, !invariant.load !0, !llvm.access.group !1
  %last = add i32 %width, -1
  %least = call i32 @llvm.smin.i32(i32 %x.1, i32 %last), !llvm.access.group !1
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %gid.x.1
  store i32 %least, ptr addrspace(1) %p, align 4, !llvm.access.group !1
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %7 = icmp ult i32 %x.next, 8
  br i1 %7, label %region.0.x, label %region.0.end, !llvm.loop !6

region.0.end:
  br label %exit.barrier
}


!0 = !{}
!1 = distinct !{}
!2 = !{!"llvm.loop.parallel_accesses", !1}
!3 = !{!"llvm.loop.mustprogress"}
!4 = !{!"weft.work_items"}
!5 = !{!"llvm.loop.unroll.disable"}
!6 = distinct !{!6, !2, !3, !4, !5}
