; Five work-items read what others have stored to local memory: scalars are forwarded, masked vectors are not.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items --local-size 5,1,1 --remarks vectorize-work-items
;! launch: 10 / 5
;! arg a: arange(10, dtype=int32)
;! arg t: 20
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %i = call i64 @_Z13get_global_idj(i32 0)
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %v, ptr addrspace(3) %q, align 4
  call void @_Z7barrierj(i32 1)
  %back = sub i64 4, %l
  %r = getelementptr i32, ptr addrspace(3) %t, i64 %back
  %w = load i32, ptr addrspace(3) %r, align 4
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 429496729) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %a = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %1 = load i64, ptr %0, align 8
  %2 = getelementptr inbounds i8, ptr %local, i64 %1
  %t = addrspacecast ptr %2 to ptr addrspace(3)
  %3 = mul i64 %group.x, 5
  %4 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %4, align 8
  %base.x = add i64 %3, %offset.x
  %5 = trunc i64 %base.x to i32
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
  %gid.x = add nuw nsw i32 %5, %x, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %lid.x = zext nneg i32 %x to i64
  br label %entry.1

entry.1:
  %v = load i32, ptr addrspace(1) %p, align 4, !llvm.access.group !0
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %lid.x
  store i32 %v, ptr addrspace(3) %q, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %6 = icmp ult i32 %x.next, 5
  br i1 %6, label %region.0.x, label %region.0.end, !llvm.loop !16

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %gid.x.2 = add nuw nsw i32 %5, %x.1, !weft.id_bits !{i32 29}
  %gid.x.3 = zext nneg i32 %gid.x.2 to i64
  %p.1 = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.3
  br label %after

after:
  %back = sub i64 4, %lid.x.1
  %r = getelementptr i32, ptr addrspace(3) %t, i64 %back
  %w = load i32, ptr addrspace(3) %r, align 4, !llvm.access.group !6
  store i32 %w, ptr addrspace(1) %p.1, align 4, !llvm.access.group !6
  br label %region.1.x.latch

region.1.x.latch:
  %x.next.1 = add nuw nsw i32 %x.1, 1
  %7 = icmp ult i32 %x.next.1, 5
  br i1 %7, label %region.1.x, label %region.1.end, !llvm.loop !21

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
!12 = !{!"llvm.loop.parallel_accesses", !0}
!13 = !{!"llvm.loop.mustprogress"}
!14 = !{!"weft.work_items"}
!15 = !{!"llvm.loop.unroll.full"}
!16 = distinct !{!16, !12, !13, !14, !15}
!17 = !{!"llvm.loop.parallel_accesses", !6}
!18 = !{!"llvm.loop.mustprogress"}
!19 = !{!"weft.work_items"}
!20 = !{!"llvm.loop.unroll.full"}
!21 = distinct !{!21, !17, !18, !19, !20}
; missed: vectorize-work-items: @k: FewUnrolled: few work-items share local memory: unrolled, because loads would wait for masked stores
; missed: vectorize-work-items: @k: FewUnrolled: few work-items share local memory: unrolled, because loads would wait for masked stores
