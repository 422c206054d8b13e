; A b-loop: its counter is kept once for the group, its condition is tested once per iteration.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only --local-size 4
;! launch: 8 / 4
;! arg a: arange(8, dtype=int32)
;! arg n: np.int32(3)
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  br label %header

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %exit

body:
  %other = xor i64 %i, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4
  call void @_Z7barrierj(i32 2) #0
  %w = add i32 %v, %k
  store i32 %w, ptr addrspace(1) %p, align 4
  call void @_Z7barrierj(i32 2) #0
  %k.next = add i32 %k, 1
  br label %header

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 536870912) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %n = load i32, ptr %0, align 4
  %more.uniform = alloca i8, align 1
  %k.uniform = alloca i32, align 4
  %1 = mul i64 %group.x, 4
  %2 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %2, align 8
  %base.x = add i64 %1, %offset.x
  %3 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

decide:
  %more = load i8, ptr %more.uniform, align 1
  %more.1 = icmp ne i8 %more, 0
  br i1 %more.1, label %region.1.pre, label %region.2.pre

barrier:
  br label %region.3.pre

exit.barrier:
  ret void

barrier.1:
  br label %region.4.pre

region.0.pre:
  br label %region.0.x

region.0.x:
  %x = phi i32 [ 0, %region.0.pre ], [ %x.next, %region.0.x.latch ]
  br label %entry.1

entry.1:
  br label %header

header:
  %k = phi i32 [ 0, %entry.1 ]
  store i32 %k, ptr %k.uniform, align 4
  %more.2 = icmp ult i32 %k, %n
  %4 = zext i1 %more.2 to i8
  store i8 %4, ptr %more.uniform, align 1
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %5 = icmp ult i32 %x.next, 4
  br i1 %5, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %decide

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %gid.x = add nuw nsw i32 %3, %x.1, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %lid.x = zext nneg i32 %x.1 to i64
  %6 = getelementptr inbounds i8, ptr %context, i64 0
  %7 = mul nuw nsw i64 %lid.x, 4
  %v.slot = getelementptr inbounds i8, ptr %6, i64 %7
  br label %way

way:
  br label %body

body:
  %other = xor i64 %gid.x.1, 1
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %v = load i32, ptr addrspace(1) %q, align 4, !llvm.access.group !6
  store i32 %v, ptr %v.slot, align 4, !llvm.access.group !6
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %8 = icmp ult i32 %x.next.1, 4
  br i1 %8, label %region.1.x, label %region.1.end, !llvm.loop !11

region.1.end:
  br label %barrier

region.2.pre:
  br label %region.2.x

region.2.x:
  %x.2 = phi i32 [ 0, %region.2.pre ], [ %x.next.2, %region.2.x.latch ]
  br label %way.1

way.1:
  br label %exit

exit:
  br label %region.2.x.latch

region.2.x.latch:
  %x.next.2 = add nuw nsw i32 %x.2, 1
  %9 = icmp ult i32 %x.next.2, 4
  br i1 %9, label %region.2.x, label %region.2.end, !llvm.loop !17

region.2.end:
  br label %exit.barrier

region.3.pre:
  %k.1 = load i32, ptr %k.uniform, align 4
  br label %region.3.x

region.3.x:
  %x.3 = phi i32 [ 0, %region.3.pre ], [ %x.next.3, %region.3.x.latch ]
  %lid.x.1 = zext nneg i32 %x.3 to i64
  %10 = getelementptr inbounds i8, ptr %context, i64 0
  %11 = mul nuw nsw i64 %lid.x.1, 4
  %v.slot.1 = getelementptr inbounds i8, ptr %10, i64 %11
  %v.1 = load i32, ptr %v.slot.1, align 4, !llvm.access.group !18
  %gid.x.2 = add nuw nsw i32 %3, %x.3, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  %w = add i32 %v.1, %k.1
  store i32 %w, ptr addrspace(1) %p, align 4, !llvm.access.group !18
  br label %region.3.x.latch

region.3.x.latch:
  %x.next.3 = add nuw nsw i32 %x.3, 1
  %12 = icmp ult i32 %x.next.3, 4
  br i1 %12, label %region.3.x, label %region.3.end, !llvm.loop !23

region.3.end:
  br label %barrier.1

region.4.pre:
  %k.2 = load i32, ptr %k.uniform, align 4
  br label %region.4.x

region.4.x:
  %x.4 = phi i32 [ 0, %region.4.pre ], [ %x.next.4, %region.4.x.latch ]
  br label %after.1

after.1:
  %k.next = add i32 %k.2, 1
  br label %header.1

header.1:
  %k.3 = phi i32 [ %k.next, %after.1 ]
  store i32 %k.3, ptr %k.uniform, align 4
  %more.3 = icmp ult i32 %k.3, %n
  %13 = zext i1 %more.3 to i8
  store i8 %13, ptr %more.uniform, align 1
  br label %region.4.x.latch

region.4.x.latch:
  %x.next.4 = add nuw nsw i32 %x.4, 1
  %14 = icmp ult i32 %x.next.4, 4
  br i1 %14, label %region.4.x, label %region.4.end, !llvm.loop !29

region.4.end:
  br label %decide
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
!12 = distinct !{}
!13 = !{!"llvm.loop.parallel_accesses", !12}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{!"weft.work_items"}
!16 = !{!"llvm.loop.unroll.disable"}
!17 = distinct !{!17, !13, !14, !15, !16}
!18 = distinct !{}
!19 = !{!"llvm.loop.parallel_accesses", !18}
!20 = !{!"llvm.loop.mustprogress"}
!21 = !{!"weft.work_items"}
!22 = !{!"llvm.loop.unroll.disable"}
!23 = distinct !{!23, !19, !20, !21, !22}
!24 = distinct !{}
!25 = !{!"llvm.loop.parallel_accesses", !24}
!26 = !{!"llvm.loop.mustprogress"}
!27 = !{!"weft.work_items"}
!28 = !{!"llvm.loop.unroll.disable"}
!29 = distinct !{!29, !25, !26, !27, !28}
