; Lanes add up a row each with alternating signs: eight elements of each row are loaded at once and transposed, the rest is gathered.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 8,1,1 --remarks strip-mine-rows
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
  %more = sub i32 %v, %sum
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
  %more = sub <8 x i32> %v, %sum
  %next = add nsw i32 %j, 1
  br label %header.simd

rows.start:
  %18 = insertelement <8 x i32> poison, i32 0, i32 0
  %19 = shufflevector <8 x i32> %18, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row, %19
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.1
  store <8 x ptr addrspace(1)> %p.1, ptr %rows, align 64
  br label %rows.piece

rows.piece:
  %j.1 = phi i32 [ 0, %rows.start ], [ %j.2, %rows.done ]
  %sum.1 = phi <8 x i32> [ splat (i32 0), %rows.start ], [ %sum.2, %rows.done ]
  %20 = zext i32 %j.1 to i64
  %21 = add i32 %j.1, 8
  %22 = getelementptr inbounds ptr addrspace(1), ptr %rows, i64 0
  %23 = load ptr addrspace(1), ptr %22, align 8
  %24 = getelementptr inbounds i8, ptr %22, i64 8
  %25 = load ptr addrspace(1), ptr %24, align 8
  %26 = getelementptr inbounds i8, ptr %22, i64 16
  %27 = load ptr addrspace(1), ptr %26, align 8
  %28 = getelementptr inbounds i8, ptr %22, i64 24
  %29 = load ptr addrspace(1), ptr %28, align 8
  %30 = getelementptr inbounds i8, ptr %22, i64 32
  %31 = load ptr addrspace(1), ptr %30, align 8
  %32 = getelementptr inbounds i8, ptr %22, i64 40
  %33 = load ptr addrspace(1), ptr %32, align 8
  %34 = getelementptr inbounds i8, ptr %22, i64 48
  %35 = load ptr addrspace(1), ptr %34, align 8
  %36 = getelementptr inbounds i8, ptr %22, i64 56
  %37 = load ptr addrspace(1), ptr %36, align 8
  %38 = getelementptr inbounds i32, ptr addrspace(1) %23, i64 %20
  %39 = getelementptr inbounds i32, ptr addrspace(1) %25, i64 %20
  %40 = getelementptr inbounds i32, ptr addrspace(1) %27, i64 %20
  %41 = getelementptr inbounds i32, ptr addrspace(1) %29, i64 %20
  %42 = getelementptr inbounds i32, ptr addrspace(1) %31, i64 %20
  %43 = getelementptr inbounds i32, ptr addrspace(1) %33, i64 %20
  %44 = getelementptr inbounds i32, ptr addrspace(1) %35, i64 %20
  %45 = getelementptr inbounds i32, ptr addrspace(1) %37, i64 %20
  %46 = load <8 x i32>, ptr addrspace(1) %38, align 4
  %47 = load <8 x i32>, ptr addrspace(1) %39, align 4
  %48 = load <8 x i32>, ptr addrspace(1) %40, align 4
  %49 = load <8 x i32>, ptr addrspace(1) %41, align 4
  %50 = load <8 x i32>, ptr addrspace(1) %42, align 4
  %51 = load <8 x i32>, ptr addrspace(1) %43, align 4
  %52 = load <8 x i32>, ptr addrspace(1) %44, align 4
  %53 = load <8 x i32>, ptr addrspace(1) %45, align 4
  %54 = getelementptr inbounds <8 x i32>, ptr %columns, i64 0
  %55 = getelementptr inbounds i8, ptr %54, i64 32
  %56 = getelementptr inbounds i8, ptr %54, i64 64
  %57 = getelementptr inbounds i8, ptr %54, i64 96
  %58 = getelementptr inbounds i8, ptr %54, i64 128
  %59 = getelementptr inbounds i8, ptr %54, i64 160
  %60 = getelementptr inbounds i8, ptr %54, i64 192
  %61 = getelementptr inbounds i8, ptr %54, i64 224
  %62 = shufflevector <8 x i32> %46, <8 x i32> %47, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %63 = shufflevector <8 x i32> %46, <8 x i32> %47, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %64 = shufflevector <8 x i32> %48, <8 x i32> %49, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %65 = shufflevector <8 x i32> %48, <8 x i32> %49, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %66 = shufflevector <8 x i32> %50, <8 x i32> %51, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %67 = shufflevector <8 x i32> %50, <8 x i32> %51, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %68 = shufflevector <8 x i32> %52, <8 x i32> %53, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %69 = shufflevector <8 x i32> %52, <8 x i32> %53, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %70 = shufflevector <8 x i32> %62, <8 x i32> %64, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %71 = shufflevector <8 x i32> %62, <8 x i32> %64, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %72 = shufflevector <8 x i32> %63, <8 x i32> %65, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %73 = shufflevector <8 x i32> %63, <8 x i32> %65, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %74 = shufflevector <8 x i32> %66, <8 x i32> %68, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %75 = shufflevector <8 x i32> %66, <8 x i32> %68, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %76 = shufflevector <8 x i32> %67, <8 x i32> %69, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %77 = shufflevector <8 x i32> %67, <8 x i32> %69, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %78 = shufflevector <8 x i32> %70, <8 x i32> %74, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %79 = shufflevector <8 x i32> %70, <8 x i32> %74, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %80 = shufflevector <8 x i32> %72, <8 x i32> %76, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %81 = shufflevector <8 x i32> %72, <8 x i32> %76, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %82 = shufflevector <8 x i32> %71, <8 x i32> %75, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %83 = shufflevector <8 x i32> %71, <8 x i32> %75, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %84 = shufflevector <8 x i32> %73, <8 x i32> %77, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %85 = shufflevector <8 x i32> %73, <8 x i32> %77, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %78, ptr %54, align 32
  store <8 x i32> %82, ptr %55, align 32
  store <8 x i32> %80, ptr %56, align 32
  store <8 x i32> %84, ptr %57, align 32
  store <8 x i32> %79, ptr %58, align 32
  store <8 x i32> %83, ptr %59, align 32
  store <8 x i32> %81, ptr %60, align 32
  store <8 x i32> %85, ptr %61, align 32
  br label %header.simd.rows

rows.done:
  %86 = sub i32 %n, %21
  %87 = icmp uge i32 %86, 8
  %88 = icmp slt i32 %21, %n
  %89 = and i1 %88, %87
  br i1 %89, label %rows.piece, label %header.simd

header.simd.rows:
  %j.2 = phi i32 [ %j.1, %rows.piece ], [ %next.1, %body.simd.rows ]
  %sum.2 = phi <8 x i32> [ %sum.1, %rows.piece ], [ %more.1, %body.simd.rows ]
  %on.1 = icmp slt i32 %j.2, %n
  %90 = icmp ne i32 %j.2, %21
  br i1 %90, label %body.simd.rows, label %rows.done

body.simd.rows:
  %91 = insertelement <8 x i32> poison, i32 %j.2, i32 0
  %92 = shufflevector <8 x i32> %91, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %92
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.2
  %93 = sub i32 %j.2, %j.1
  %94 = zext i32 %93 to i64
  %95 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %94
  %96 = load <8 x i32>, ptr %95, align 32
  %more.1 = sub <8 x i32> %96, %sum.2
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
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
