; Lanes fill a row each: what eight iterations store is kept, transposed and stored by whole pieces of rows.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 8,1,1
;! launch: 16 / 8
;! arg out: zeros(176, dtype=int32)
;! arg a: arange(11, dtype=int32)
;! arg n: 11
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %i, %n
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %last = phi i32 [ %i, %entry ], [ %w, %body ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body, label %exit

body:
  %index = add nsw i32 %row, %j
  %at = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
  %from = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %from
  %v = load i32, ptr addrspace(1) %q, align 4
  %w = sub i32 %v, %last
  store i32 %w, ptr addrspace(1) %p, align 4
  %next = add nsw i32 %j, 1
  br label %header

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %columns = alloca [8 x <8 x i32>], align 32
  %rows = alloca <8 x ptr addrspace(1)>, align 64
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 8
  %3 = getelementptr inbounds i8, ptr %launch, i64 24
  %offset.x = load i64, ptr %3, align 8
  %base.x = add i64 %2, %offset.x
  %4 = trunc i64 %base.x to i32
  br label %entry.barrier

entry.barrier:
  br label %region.0.pre

exit.barrier:
  ret void

region.0.pre:
  br label %region.0.x.simd

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ]
  %gid.x = add nuw nsw i32 %4, %lane.0
  %5 = sext i32 %4 to i64
  %6 = sext i32 %lane.0 to i64
  %7 = add i64 %5, %6
  br label %entry.simd

entry.simd:
  %i = trunc i64 %7 to i32
  %8 = insertelement <8 x i32> poison, i32 %i, i32 0
  %9 = shufflevector <8 x i32> %8, <8 x i32> poison, <8 x i32> zeroinitializer
  %10 = add <8 x i32> %9, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %11 = insertelement <8 x i32> poison, i32 %n, i32 0
  %12 = shufflevector <8 x i32> %11, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %10, %12
  %13 = insertelement <8 x i32> poison, i32 %i, i32 0
  %14 = shufflevector <8 x i32> %13, <8 x i32> poison, <8 x i32> zeroinitializer
  %15 = add <8 x i32> %14, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %16 = icmp uge i32 %n, 8
  %17 = icmp slt i32 0, %n
  %18 = and i1 %17, %16
  br i1 %18, label %rows.start, label %header.simd

header.simd:
  %j = phi i32 [ 0, %entry.simd ], [ %next, %body.simd ], [ %j.2, %rows.done ]
  %last = phi <8 x i32> [ %15, %entry.simd ], [ %w, %body.simd ], [ %last.2, %rows.done ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body.simd, label %exit.simd

exit.simd:
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %19 = insertelement <8 x i32> poison, i32 %j, i32 0
  %20 = shufflevector <8 x i32> %19, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add nsw <8 x i32> %row, %20
  %at = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at
  %from = sext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %from
  %v = load i32, ptr addrspace(1) %q, align 4
  %21 = insertelement <8 x i32> poison, i32 %v, i32 0
  %22 = shufflevector <8 x i32> %21, <8 x i32> poison, <8 x i32> zeroinitializer
  %w = sub <8 x i32> %22, %last
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %w, <8 x ptr addrspace(1)> align 4 %p, <8 x i1> splat (i1 true))
  %next = add nsw i32 %j, 1
  br label %header.simd

rows.start:
  %23 = insertelement <8 x i32> poison, i32 0, i32 0
  %24 = shufflevector <8 x i32> %23, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row, %24
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.1
  store <8 x ptr addrspace(1)> %p.1, ptr %rows, align 64
  br label %rows.piece

rows.piece:
  %j.1 = phi i32 [ 0, %rows.start ], [ %j.2, %rows.done ]
  %last.1 = phi <8 x i32> [ %15, %rows.start ], [ %last.2, %rows.done ]
  %25 = zext i32 %j.1 to i64
  %26 = add i32 %j.1, 8
  br label %header.simd.rows

rows.done:
  %27 = getelementptr inbounds <8 x i32>, ptr %columns, i64 0
  %28 = getelementptr inbounds i8, ptr %27, i64 32
  %29 = getelementptr inbounds i8, ptr %27, i64 64
  %30 = getelementptr inbounds i8, ptr %27, i64 96
  %31 = getelementptr inbounds i8, ptr %27, i64 128
  %32 = getelementptr inbounds i8, ptr %27, i64 160
  %33 = getelementptr inbounds i8, ptr %27, i64 192
  %34 = getelementptr inbounds i8, ptr %27, i64 224
  %35 = load <8 x i32>, ptr %27, align 32
  %36 = load <8 x i32>, ptr %28, align 32
  %37 = load <8 x i32>, ptr %29, align 32
  %38 = load <8 x i32>, ptr %30, align 32
  %39 = load <8 x i32>, ptr %31, align 32
  %40 = load <8 x i32>, ptr %32, align 32
  %41 = load <8 x i32>, ptr %33, align 32
  %42 = load <8 x i32>, ptr %34, align 32
  %43 = getelementptr inbounds ptr addrspace(1), ptr %rows, i64 0
  %44 = load ptr addrspace(1), ptr %43, align 8
  %45 = getelementptr inbounds i8, ptr %43, i64 8
  %46 = load ptr addrspace(1), ptr %45, align 8
  %47 = getelementptr inbounds i8, ptr %43, i64 16
  %48 = load ptr addrspace(1), ptr %47, align 8
  %49 = getelementptr inbounds i8, ptr %43, i64 24
  %50 = load ptr addrspace(1), ptr %49, align 8
  %51 = getelementptr inbounds i8, ptr %43, i64 32
  %52 = load ptr addrspace(1), ptr %51, align 8
  %53 = getelementptr inbounds i8, ptr %43, i64 40
  %54 = load ptr addrspace(1), ptr %53, align 8
  %55 = getelementptr inbounds i8, ptr %43, i64 48
  %56 = load ptr addrspace(1), ptr %55, align 8
  %57 = getelementptr inbounds i8, ptr %43, i64 56
  %58 = load ptr addrspace(1), ptr %57, align 8
  %59 = getelementptr inbounds i32, ptr addrspace(1) %44, i64 %25
  %60 = getelementptr inbounds i32, ptr addrspace(1) %46, i64 %25
  %61 = getelementptr inbounds i32, ptr addrspace(1) %48, i64 %25
  %62 = getelementptr inbounds i32, ptr addrspace(1) %50, i64 %25
  %63 = getelementptr inbounds i32, ptr addrspace(1) %52, i64 %25
  %64 = getelementptr inbounds i32, ptr addrspace(1) %54, i64 %25
  %65 = getelementptr inbounds i32, ptr addrspace(1) %56, i64 %25
  %66 = getelementptr inbounds i32, ptr addrspace(1) %58, i64 %25
  %67 = shufflevector <8 x i32> %35, <8 x i32> %36, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %68 = shufflevector <8 x i32> %35, <8 x i32> %36, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %69 = shufflevector <8 x i32> %37, <8 x i32> %38, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %70 = shufflevector <8 x i32> %37, <8 x i32> %38, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %71 = shufflevector <8 x i32> %39, <8 x i32> %40, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %72 = shufflevector <8 x i32> %39, <8 x i32> %40, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %73 = shufflevector <8 x i32> %41, <8 x i32> %42, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %74 = shufflevector <8 x i32> %41, <8 x i32> %42, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %75 = shufflevector <8 x i32> %67, <8 x i32> %69, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %76 = shufflevector <8 x i32> %67, <8 x i32> %69, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %77 = shufflevector <8 x i32> %68, <8 x i32> %70, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %78 = shufflevector <8 x i32> %68, <8 x i32> %70, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %79 = shufflevector <8 x i32> %71, <8 x i32> %73, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %80 = shufflevector <8 x i32> %71, <8 x i32> %73, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %81 = shufflevector <8 x i32> %72, <8 x i32> %74, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %82 = shufflevector <8 x i32> %72, <8 x i32> %74, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %83 = shufflevector <8 x i32> %75, <8 x i32> %79, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %84 = shufflevector <8 x i32> %75, <8 x i32> %79, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %85 = shufflevector <8 x i32> %77, <8 x i32> %81, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %86 = shufflevector <8 x i32> %77, <8 x i32> %81, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %87 = shufflevector <8 x i32> %76, <8 x i32> %80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %88 = shufflevector <8 x i32> %76, <8 x i32> %80, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %89 = shufflevector <8 x i32> %78, <8 x i32> %82, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %90 = shufflevector <8 x i32> %78, <8 x i32> %82, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %83, ptr addrspace(1) %59, align 4
  store <8 x i32> %87, ptr addrspace(1) %60, align 4
  store <8 x i32> %85, ptr addrspace(1) %61, align 4
  store <8 x i32> %89, ptr addrspace(1) %62, align 4
  store <8 x i32> %84, ptr addrspace(1) %63, align 4
  store <8 x i32> %88, ptr addrspace(1) %64, align 4
  store <8 x i32> %86, ptr addrspace(1) %65, align 4
  store <8 x i32> %90, ptr addrspace(1) %66, align 4
  %91 = sub i32 %n, %26
  %92 = icmp uge i32 %91, 8
  %93 = icmp slt i32 %26, %n
  %94 = and i1 %93, %92
  br i1 %94, label %rows.piece, label %header.simd

header.simd.rows:
  %j.2 = phi i32 [ %j.1, %rows.piece ], [ %next.1, %body.simd.rows ]
  %last.2 = phi <8 x i32> [ %last.1, %rows.piece ], [ %w.1, %body.simd.rows ]
  %on.1 = icmp slt i32 %j.2, %n
  %95 = icmp ne i32 %j.2, %26
  br i1 %95, label %body.simd.rows, label %rows.done

body.simd.rows:
  %96 = insertelement <8 x i32> poison, i32 %j.2, i32 0
  %97 = shufflevector <8 x i32> %96, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %97
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.2
  %from.1 = sext i32 %j.2 to i64
  %q.1 = getelementptr i32, ptr addrspace(1) %a, i64 %from.1
  %v.1 = load i32, ptr addrspace(1) %q.1, align 4
  %98 = insertelement <8 x i32> poison, i32 %v.1, i32 0
  %99 = shufflevector <8 x i32> %98, <8 x i32> poison, <8 x i32> zeroinitializer
  %w.1 = sub <8 x i32> %99, %last.2
  %100 = sub i32 %j.2, %j.1
  %101 = zext i32 %100 to i64
  %102 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %101
  store <8 x i32> %w.1, ptr %102, align 32
  %next.1 = add nsw i32 %j.2, 1
  br label %header.simd.rows
}

declare void @llvm.masked.scatter.v8i32.v8p1(<8 x i32>, <8 x ptr addrspace(1)>, <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
