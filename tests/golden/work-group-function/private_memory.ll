; Private memory that one region uses is shared by all work-items, one at a time; other memory is a context array.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 2
;! launch: 4 / 2
;! arg a: arange(4, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %one = alloca [2 x i32], align 4
  %two = alloca [2 x i32], align 4
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr %one, align 4
  %one.v = load i32, ptr %one, align 4
  store i32 %one.v, ptr %two, align 4
  call void @_Z7barrierj(i32 2) #0
  %two.v = load i32, ptr %two, align 4
  %w = add i32 %two.v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 1073741824) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %one = alloca [2 x i32], align 4
  %0 = mul i64 %group.x, 2
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
  %lid.x = zext nneg i32 %x to i64
  %3 = getelementptr inbounds i8, ptr %context, i64 0
  %4 = mul nuw nsw i64 %lid.x, 8
  %two.slot = getelementptr inbounds i8, ptr %3, i64 %4
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  store i32 %v, ptr %one, align 4
  %one.v = load i32, ptr %one, align 4
  store i32 %one.v, ptr %two.slot, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %5 = icmp ult i32 %x.next, 2
  br i1 %5, label %region.0.x, label %region.0.end, !llvm.loop !4

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = mul nuw nsw i64 %lid.x.1, 8
  %two.slot.1 = getelementptr inbounds i8, ptr %6, i64 %7
  %gid.x.2 = add nuw nsw i32 %2, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  %two.v = load i32, ptr %two.slot.1, align 4, !llvm.access.group !5
  %w = add i32 %two.v, 1
  store i32 %w, ptr addrspace(1) %p.1, align 4, !llvm.access.group !5
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %8 = icmp ult i32 %x.next.1, 2
  br i1 %8, label %region.1.x, label %region.1.end, !llvm.loop !9

region.1.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"llvm.loop.unroll.full"}
!4 = distinct !{!4, !1, !2, !3}
!5 = distinct !{}
!6 = !{!"llvm.loop.parallel_accesses", !5}
!7 = !{!"llvm.loop.mustprogress"}
!8 = !{!"llvm.loop.unroll.full"}
!9 = distinct !{!9, !6, !7, !8}
