; A private array across a barrier lies element by element; one of which an address goes elsewhere, item by item.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 16
;! launch: 32 / 16
;! arg a: arange(32, dtype=int32)
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %rows = alloca [3 x i32], align 16
  %kept = alloca [2 x i64], align 8
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %k = and i64 %i, 1
  %q = getelementptr inbounds [3 x i32], ptr %rows, i64 0, i64 %k
  store i32 %v, ptr %q, align 4
  %r = getelementptr inbounds i8, ptr %rows, i64 8
  store i32 7, ptr %r, align 8
  %number = ptrtoint ptr %kept to i64
  store i64 %number, ptr %kept, align 8
  call void @_Z7barrierj(i32 2) #0
  %w = load i32, ptr %q, align 4
  %x = load i32, ptr %r, align 8
  %again = load i64, ptr %kept, align 8
  %same = icmp eq i64 %again, %number
  %one = zext i1 %same to i32
  %y = add i32 %w, %x
  %z = add i32 %y, %one
  store i32 %z, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 134217728) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = mul i64 %group.x, 16
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
  %3 = getelementptr inbounds i8, ptr %context, i64 1024
  %4 = lshr i64 %lid.x, 4
  %5 = mul nuw nsw i64 %4, 256
  %6 = getelementptr inbounds i8, ptr %3, i64 %5
  %7 = and i64 %lid.x, 15
  %8 = mul nuw nsw i64 %7, 4
  %rows.slot = getelementptr inbounds i8, ptr %6, i64 %8
  %9 = getelementptr inbounds i8, ptr %context, i64 3072
  %10 = mul nuw nsw i64 %lid.x, 16
  %kept.slot = getelementptr inbounds i8, ptr %9, i64 %10
  %gid.x = add nuw nsw i32 %2, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %k = and i64 %gid.x.1, 1
  %q = getelementptr [3 x [64 x i8]], ptr %rows.slot, i64 0, i64 %k
  %r = getelementptr [16 x i8], ptr %rows.slot, i64 8
  %11 = getelementptr inbounds i8, ptr %context, i64 0
  %12 = mul nuw nsw i64 %lid.x, 8
  %number.slot = getelementptr inbounds i8, ptr %11, i64 %12
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %k.1 = and i64 %gid.x.1, 1
  store i32 %v, ptr %q, align 4, !llvm.access.group !0
  store i32 7, ptr %r, align 4, !llvm.access.group !0
  %number = ptrtoint ptr %kept.slot to i64
  store i64 %number, ptr %number.slot, align 8, !llvm.access.group !0
  store i64 %number, ptr %kept.slot, align 8, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %13 = icmp ult i32 %x.next, 16
  br i1 %13, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %14 = getelementptr inbounds i8, ptr %context, i64 1024
  %15 = lshr i64 %lid.x.1, 4
  %16 = mul nuw nsw i64 %15, 256
  %17 = getelementptr inbounds i8, ptr %14, i64 %16
  %18 = and i64 %lid.x.1, 15
  %19 = mul nuw nsw i64 %18, 4
  %rows.slot.1 = getelementptr inbounds i8, ptr %17, i64 %19
  %20 = getelementptr inbounds i8, ptr %context, i64 3072
  %21 = mul nuw nsw i64 %lid.x.1, 16
  %kept.slot.1 = getelementptr inbounds i8, ptr %20, i64 %21
  %22 = getelementptr inbounds i8, ptr %context, i64 0
  %23 = mul nuw nsw i64 %lid.x.1, 8
  %number.slot.1 = getelementptr inbounds i8, ptr %22, i64 %23
  %number.1 = load i64, ptr %number.slot.1, align 8, !llvm.access.group !6
  %gid.x.2 = add nuw nsw i32 %2, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %k.2 = and i64 %gid.x.3, 1
  %q.1 = getelementptr [3 x [64 x i8]], ptr %rows.slot.1, i64 0, i64 %k.2
  %r.1 = getelementptr [16 x i8], ptr %rows.slot.1, i64 8
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  %w = load i32, ptr %q.1, align 4, !llvm.access.group !6
  %x.2 = load i32, ptr %r.1, align 4, !llvm.access.group !6
  %again = load i64, ptr %kept.slot.1, align 8, !llvm.access.group !6
  %same = icmp eq i64 %again, %number.1
  %one = zext i1 %same to i32
  %y = add i32 %w, %x.2
  %z = add i32 %y, %one
  store i32 %z, ptr addrspace(1) %p.1, align 4, !llvm.access.group !6
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %24 = icmp ult i32 %x.next.1, 16
  br i1 %24, label %region.1.x, label %region.1.end, !llvm.loop !11

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
