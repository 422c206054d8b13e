; Work-items that change private tables run one by one, and the loop along the table is marked for LLVM.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,disable-inner-loop-vectorization --local-size 8,1,1 --limit versions=0 --remarks vectorize-work-items
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(16, dtype=int32) * 77
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
entry:
  %table = alloca [512 x i8], align 1
  %i = call i64 @_Z13get_global_idj(i32 0)
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %on = icmp slt i32 %j, 512
  br i1 %on, label %body, label %walk

body:
  %number = trunc i32 %j to i8
  %index = zext nneg i32 %j to i64
  %p = getelementptr [1 x i8], ptr %table, i64 %index
  store i8 %number, ptr %p, align 1
  %next = add nuw nsw i32 %j, 1
  br label %header

walk:
  %a.p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %first = load i32, ptr addrspace(1) %a.p, align 4
  br label %steps

steps:
  %k = phi i32 [ 0, %walk ], [ %k.next, %step ]
  %state = phi i32 [ %first, %walk ], [ %sum, %step ]
  %more = icmp slt i32 %k, 20
  br i1 %more, label %step, label %exit

step:
  %low = and i32 %state, 511
  %at = zext nneg i32 %low to i64
  %q = getelementptr [1 x i8], ptr %table, i64 %at
  %found = load i8, ptr %q, align 1
  %wide = zext i8 %found to i32
  %sum = add i32 %state, %wide
  %byte = trunc i32 %sum to i8
  store i8 %byte, ptr %q, align 1
  %k.next = add nuw nsw i32 %k, 1
  br label %steps

exit:
  %out.p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %state, ptr addrspace(1) %out.p, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %table = alloca [512 x i8], align 1
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
  br label %header

header:
  %j = phi i32 [ 0, %entry.1 ], [ %next, %body ]
  %on = icmp slt i32 %j, 512
  br i1 %on, label %body, label %walk

body:
  %number = trunc i32 %j to i8
  %index = zext nneg i32 %j to i64
  %p = getelementptr [1 x i8], ptr %table, i64 %index
  store i8 %number, ptr %p, align 1
  %next = add nuw nsw i32 %j, 1
  br label %header, !llvm.loop !7

walk:
  %a.p = getelementptr i32, ptr addrspace(1) %a, i64 %gid.x.1
  %first = load i32, ptr addrspace(1) %a.p, align 4, !llvm.access.group !0
  br label %steps

steps:
  %k = phi i32 [ 0, %walk ], [ %k.next, %step ]
  %state = phi i32 [ %first, %walk ], [ %sum, %step ]
  %more = icmp slt i32 %k, 20
  br i1 %more, label %step, label %exit

step:
  %low = and i32 %state, 511
  %at = zext nneg i32 %low to i64
  %q = getelementptr [1 x i8], ptr %table, i64 %at
  %found = load i8, ptr %q, align 1
  %wide = zext i8 %found to i32
  %sum = add i32 %state, %wide
  %byte = trunc i32 %sum to i8
  store i8 %byte, ptr %q, align 1
  %k.next = add nuw nsw i32 %k, 1
  br label %steps, !llvm.loop !9

exit:
  %out.p = getelementptr i32, ptr addrspace(1) %out, i64 %gid.x.1
  store i32 %state, ptr addrspace(1) %out.p, align 4, !llvm.access.group !0
  br label %region.0.x.latch

region.0.x.latch:
  %x.next = add nuw nsw i32 %x, 1
  %4 = icmp ult i32 %x.next, 8
  br i1 %4, label %region.0.x, label %region.0.end, !llvm.loop !5

region.0.end:
  br label %exit.barrier
}


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"weft.along_rows"}
!7 = distinct !{!7, !6}
!8 = !{!"llvm.loop.vectorize.enable", i1 false}
!9 = distinct !{!9, !8}
; missed: vectorize-work-items: @k: CostsMore: 8 lanes are not profitable
