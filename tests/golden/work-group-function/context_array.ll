; A value of each work-item that lives across a barrier is kept in a context array, an id is recomputed.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only --local-size 4
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %t = getelementptr [4 x i32], ptr addrspace(3) @k.t, i64 0, i64 %l
  store i32 %v, ptr addrspace(3) %t, align 4
  call void @_Z7barrierj(i32 1) #0
  %back = sub i64 3, %l
  %u = getelementptr [4 x i32], ptr addrspace(3) @k.t, i64 0, i64 %back
  %other = load i32, ptr addrspace(3) %u, align 4
  %sum = add i32 %v, %other
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

@k.t = internal addrspace(3) global [4 x i32] undef, align 4

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %k.t = addrspacecast ptr %local to ptr addrspace(3)
  %0 = mul i64 %group.x, 4
  %1 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %1, align 8
  %base.x = add i64 %0, %offset.x
  %2 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

barrier:
  br label %region.1.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %lid.x = zext nneg i32 %x to i64
  %3 = getelementptr inbounds i8, ptr %context, i64 0
  %4 = mul nuw nsw i64 %lid.x, 4
  %v.slot = getelementptr inbounds i8, ptr %3, i64 %4
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  store i32 %v, ptr %v.slot, align 4, !llvm.access.group !0
  %t = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 %lid.x
  store i32 %v, ptr addrspace(3) %t, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %5 = icmp ult i32 %x.next, 4
  br i1 %5, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = mul nuw nsw i64 %lid.x.1, 4
  %v.slot.1 = getelementptr inbounds i8, ptr %6, i64 %7
  %v.1 = load i32, ptr %v.slot.1, align 4, !llvm.access.group !6
  %gid.x.2 = add nuw nsw i32 %2, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  %back = sub i64 3, %lid.x.1
  %u = getelementptr [4 x i32], ptr addrspace(3) %k.t, i64 0, i64 %back
  %other = load i32, ptr addrspace(3) %u, align 4, !llvm.access.group !6
  %sum = add i32 %v.1, %other
  store i32 %sum, ptr addrspace(1) %p.1, align 4, !llvm.access.group !6
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %8 = icmp ult i32 %x.next.1, 4
  br i1 %8, label %region.1.x, label %region.1.end, !llvm.loop !11

region.1.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{}
!7 = !{!"llvm.loop.parallel_accesses", !6}
!8 = !{!"llvm.loop.mustprogress"}
!9 = !{!"weft.work_items"}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !7, !8, !9, !10}
