; A structure is read from the argument block itself; a local argument's slot holds an offset into the arena.
;! shows: fires
;! opt: -p isolate-barriers,place-implicit-barriers,work-group-function,keep-only --local-size 2
;! launch: 4 / 2
;! arg s: struct.pack("<if", 3, 1.5)
;! arg t: 8
;! arg a: arange(4, dtype=int32)
%S = type { i32, float }

define spir_kernel void @k(ptr byval(%S) align 4 %s, ptr addrspace(3) %t, ptr addrspace(1) %a) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %n = load i32, ptr %s, align 4
  %slot = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %n, ptr addrspace(3) %slot, align 4
  call void @_Z7barrierj(i32 1) #0
  %back = sub i64 1, %l
  %u = getelementptr i32, ptr addrspace(3) %t, i64 %back
  %v = load i32, ptr addrspace(3) %u, align 4
  %f = getelementptr %S, ptr %s, i32 0, i32 1
  %x = load float, ptr %f, align 4
  %y = fptosi float %x to i32
  %w = add i32 %v, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}

declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
declare void @_Z7barrierj(i32) #0

attributes #0 = { convergent }
; ---- expected

%S = type { i32, float }

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 1073741824) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %1 = load i64, ptr %0, align 8
  %2 = getelementptr inbounds i8, ptr %local, i64 %1
  %t = addrspacecast ptr %2 to ptr addrspace(3)
  %3 = getelementptr inbounds i8, ptr %args, i64 16
  %a = load ptr addrspace(1), ptr %3, align 8
  %4 = mul i64 %group.x, 2
  %5 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %5, align 8
  %base.x = add i64 %4, %offset.x
  %6 = trunc i64 %base.x to i32
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
  br label %entry.1

entry.1:
  %n = load i32, ptr %args, align 4, !llvm.access.group !0
  %slot = getelementptr i32, ptr addrspace(3) %t, i64 %lid.x
  store i32 %n, ptr addrspace(3) %slot, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %7 = icmp ult i32 %x.next, 2
  br i1 %7, label %region.0.x, label %region.0.end, !llvm.loop !4

region.0.end:
  br label %barrier

region.1.pre:
  br label %region.1.x

region.1.x:
  %x.1 = phi i32 [ 0, %region.1.pre ], [ %x.next.1, %region.1.x.latch ]
  %lid.x.1 = zext nneg i32 %x.1 to i64
  %gid.x = add nuw nsw i32 %6, %x.1, !weft.id_bits !{i32 29}
  %gid.x.1 = zext nneg i32 %gid.x to i64
  br label %after

after:
  %back = sub i64 1, %lid.x.1
  %u = getelementptr i32, ptr addrspace(3) %t, i64 %back
  %v = load i32, ptr addrspace(3) %u, align 4, !llvm.access.group !5
  %f = getelementptr %S, ptr %args, i32 0, i32 1
  %x.2 = load float, ptr %f, align 4, !llvm.access.group !5
  %y = fptosi float %x.2 to i32
  %w = add i32 %v, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  store i32 %w, ptr addrspace(1) %p, align 4, !llvm.access.group !5
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
