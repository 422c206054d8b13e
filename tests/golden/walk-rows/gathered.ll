; Lanes add up a row each: eight elements of each row are loaded at once and transposed, the rest is gathered.
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,walk-rows --local-size 8,1,1
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(176, dtype=int32)
;! arg n: 11
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %i, %n
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body, label %exit

body:
  %index = add nsw i32 %row, %j
  %at = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %more = add i32 %sum, %v
  %next = add nsw i32 %j, 1
  br label %header

exit:
  %all = phi i32 [ %sum, %header ]
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %all, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %columns = alloca [8 x <8 x i32>], align 32
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
  %13 = icmp uge i32 %n, 8
  %14 = icmp slt i32 0, %n
  %15 = and i1 %14, %13
  br i1 %15, label %rows.start, label %header.simd

header.simd:
  %j = phi i32 [ 0, %entry.simd ], [ %next, %body.simd ], [ %j.2, %rows.done ]
  %sum = phi <8 x i32> [ splat (i32 0), %entry.simd ], [ %more, %body.simd ], [ %sum.2, %rows.done ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body.simd, label %exit.simd

exit.simd:
  %all = phi <8 x i32> [ %sum, %header.simd ]
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %7
  store <8 x i32> %all, ptr addrspace(1) %q, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %16 = insertelement <8 x i32> poison, i32 %j, i32 0
  %17 = shufflevector <8 x i32> %16, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add nsw <8 x i32> %row, %17
  %at = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p, <8 x i1> splat (i1 true), <8 x i32> poison)
  %more = add <8 x i32> %sum, %v
  %next = add nsw i32 %j, 1
  br label %header.simd

rows.start:
  %18 = insertelement <8 x i32> poison, i32 0, i32 0
  %19 = shufflevector <8 x i32> %18, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row, %19
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.1
  %20 = extractelement <8 x ptr addrspace(1)> %p.1, i32 0
  %21 = extractelement <8 x ptr addrspace(1)> %p.1, i32 1
  %22 = extractelement <8 x ptr addrspace(1)> %p.1, i32 2
  %23 = extractelement <8 x ptr addrspace(1)> %p.1, i32 3
  %24 = extractelement <8 x ptr addrspace(1)> %p.1, i32 4
  %25 = extractelement <8 x ptr addrspace(1)> %p.1, i32 5
  %26 = extractelement <8 x ptr addrspace(1)> %p.1, i32 6
  %27 = extractelement <8 x ptr addrspace(1)> %p.1, i32 7
  br label %rows.piece

rows.piece:
  %j.1 = phi i32 [ 0, %rows.start ], [ %j.2, %rows.done ]
  %sum.1 = phi <8 x i32> [ splat (i32 0), %rows.start ], [ %sum.2, %rows.done ]
  %28 = zext i32 %j.1 to i64
  %29 = getelementptr inbounds i32, ptr addrspace(1) %20, i64 %28
  %30 = getelementptr inbounds i32, ptr addrspace(1) %21, i64 %28
  %31 = getelementptr inbounds i32, ptr addrspace(1) %22, i64 %28
  %32 = getelementptr inbounds i32, ptr addrspace(1) %23, i64 %28
  %33 = getelementptr inbounds i32, ptr addrspace(1) %24, i64 %28
  %34 = getelementptr inbounds i32, ptr addrspace(1) %25, i64 %28
  %35 = getelementptr inbounds i32, ptr addrspace(1) %26, i64 %28
  %36 = getelementptr inbounds i32, ptr addrspace(1) %27, i64 %28
  %37 = load <8 x i32>, ptr addrspace(1) %29, align 4
  %38 = load <8 x i32>, ptr addrspace(1) %30, align 4
  %39 = load <8 x i32>, ptr addrspace(1) %31, align 4
  %40 = load <8 x i32>, ptr addrspace(1) %32, align 4
  %41 = load <8 x i32>, ptr addrspace(1) %33, align 4
  %42 = load <8 x i32>, ptr addrspace(1) %34, align 4
  %43 = load <8 x i32>, ptr addrspace(1) %35, align 4
  %44 = load <8 x i32>, ptr addrspace(1) %36, align 4
  %45 = shufflevector <8 x i32> %37, <8 x i32> %38, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %46 = shufflevector <8 x i32> %37, <8 x i32> %38, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %47 = shufflevector <8 x i32> %39, <8 x i32> %40, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %48 = shufflevector <8 x i32> %39, <8 x i32> %40, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %49 = shufflevector <8 x i32> %41, <8 x i32> %42, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %50 = shufflevector <8 x i32> %41, <8 x i32> %42, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %51 = shufflevector <8 x i32> %43, <8 x i32> %44, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %52 = shufflevector <8 x i32> %43, <8 x i32> %44, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %53 = shufflevector <8 x i32> %45, <8 x i32> %47, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %54 = shufflevector <8 x i32> %45, <8 x i32> %47, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %55 = shufflevector <8 x i32> %46, <8 x i32> %48, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %56 = shufflevector <8 x i32> %46, <8 x i32> %48, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %57 = shufflevector <8 x i32> %49, <8 x i32> %51, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %58 = shufflevector <8 x i32> %49, <8 x i32> %51, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %59 = shufflevector <8 x i32> %50, <8 x i32> %52, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %60 = shufflevector <8 x i32> %50, <8 x i32> %52, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %61 = shufflevector <8 x i32> %53, <8 x i32> %57, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %62 = shufflevector <8 x i32> %53, <8 x i32> %57, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %63 = shufflevector <8 x i32> %55, <8 x i32> %59, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %64 = shufflevector <8 x i32> %55, <8 x i32> %59, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %65 = shufflevector <8 x i32> %54, <8 x i32> %58, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %66 = shufflevector <8 x i32> %54, <8 x i32> %58, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %67 = shufflevector <8 x i32> %56, <8 x i32> %60, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %68 = shufflevector <8 x i32> %56, <8 x i32> %60, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %61, ptr %columns, align 32
  %69 = getelementptr inbounds i8, ptr %columns, i64 32
  store <8 x i32> %65, ptr %69, align 32
  %70 = getelementptr inbounds i8, ptr %columns, i64 64
  store <8 x i32> %63, ptr %70, align 32
  %71 = getelementptr inbounds i8, ptr %columns, i64 96
  store <8 x i32> %67, ptr %71, align 32
  %72 = getelementptr inbounds i8, ptr %columns, i64 128
  store <8 x i32> %62, ptr %72, align 32
  %73 = getelementptr inbounds i8, ptr %columns, i64 160
  store <8 x i32> %66, ptr %73, align 32
  %74 = getelementptr inbounds i8, ptr %columns, i64 192
  store <8 x i32> %64, ptr %74, align 32
  %75 = getelementptr inbounds i8, ptr %columns, i64 224
  store <8 x i32> %68, ptr %75, align 32
  %76 = add i32 %j.1, 8
  br label %header.simd.rows

rows.done:
  %77 = sub i32 %n, %76
  %78 = icmp uge i32 %77, 8
  %79 = icmp slt i32 %76, %n
  %80 = and i1 %79, %78
  br i1 %80, label %rows.piece, label %header.simd

header.simd.rows:
  %j.2 = phi i32 [ %j.1, %rows.piece ], [ %next.1, %body.simd.rows ]
  %sum.2 = phi <8 x i32> [ %sum.1, %rows.piece ], [ %more.1, %body.simd.rows ]
  %on.1 = icmp slt i32 %j.2, %n
  %81 = icmp ne i32 %j.2, %76
  br i1 %81, label %body.simd.rows, label %rows.done

body.simd.rows:
  %82 = insertelement <8 x i32> poison, i32 %j.2, i32 0
  %83 = shufflevector <8 x i32> %82, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %83
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.2
  %84 = sub i32 %j.2, %j.1
  %85 = zext i32 %84 to i64
  %86 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %85
  %87 = load <8 x i32>, ptr %86, align 32
  %more.1 = add <8 x i32> %sum.2, %87
  %next.1 = add nsw i32 %j.2, 1
  br label %header.simd.rows
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
