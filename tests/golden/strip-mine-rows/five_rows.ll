; Each iteration reads five rows: four are loaded by pieces, the fifth is gathered.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 8,1,1 --remarks strip-mine-rows
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(256, dtype=int32)
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
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s1 = add i32 %v, %v1
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 128
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s2 = add i32 %s1, %v2
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 192
  %v3 = load i32, ptr addrspace(1) %p3, align 4
  %s3 = add i32 %s2, %v3
  %p4 = getelementptr i8, ptr addrspace(1) %p, i64 256
  %v4 = load i32, ptr addrspace(1) %p4, align 4
  %s4 = add i32 %s3, %v4
  %more = sub i32 %s4, %sum
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
  %columns.1 = alloca [8 x <8 x i32>], align 32
  %columns.2 = alloca [8 x <8 x i32>], align 32
  %columns.3 = alloca [8 x <8 x i32>], align 32
  %rows = alloca <8 x ptr addrspace(1)>, align 64
  %rows.1 = alloca <8 x ptr addrspace(1)>, align 64
  %rows.2 = alloca <8 x ptr addrspace(1)>, align 64
  %rows.3 = alloca <8 x ptr addrspace(1)>, align 64
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
  %p1 = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 64
  %v1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p1, <8 x i1> splat (i1 true), <8 x i32> poison)
  %s1 = add <8 x i32> %v, %v1
  %p2 = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 128
  %v2 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p2, <8 x i1> splat (i1 true), <8 x i32> poison)
  %s2 = add <8 x i32> %s1, %v2
  %p3 = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 192
  %v3 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p3, <8 x i1> splat (i1 true), <8 x i32> poison)
  %s3 = add <8 x i32> %s2, %v3
  %p4 = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 256
  %v4 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p4, <8 x i1> splat (i1 true), <8 x i32> poison)
  %s4 = add <8 x i32> %s3, %v4
  %more = sub <8 x i32> %s4, %sum
  %next = add nsw i32 %j, 1
  br label %header.simd

rows.start:
  %18 = insertelement <8 x i32> poison, i32 0, i32 0
  %19 = shufflevector <8 x i32> %18, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row, %19
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.1
  store <8 x ptr addrspace(1)> %p.1, ptr %rows.3, align 64
  %20 = insertelement <8 x i32> poison, i32 0, i32 0
  %21 = shufflevector <8 x i32> %20, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %21
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.2
  %p1.1 = getelementptr i8, <8 x ptr addrspace(1)> %p.2, i64 64
  store <8 x ptr addrspace(1)> %p1.1, ptr %rows.2, align 64
  %22 = insertelement <8 x i32> poison, i32 0, i32 0
  %23 = shufflevector <8 x i32> %22, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.3 = add nsw <8 x i32> %row, %23
  %at.3 = sext <8 x i32> %index.3 to <8 x i64>
  %p.3 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.3
  %p2.1 = getelementptr i8, <8 x ptr addrspace(1)> %p.3, i64 128
  store <8 x ptr addrspace(1)> %p2.1, ptr %rows.1, align 64
  %24 = insertelement <8 x i32> poison, i32 0, i32 0
  %25 = shufflevector <8 x i32> %24, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.4 = add nsw <8 x i32> %row, %25
  %at.4 = sext <8 x i32> %index.4 to <8 x i64>
  %p.4 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.4
  %p3.1 = getelementptr i8, <8 x ptr addrspace(1)> %p.4, i64 192
  store <8 x ptr addrspace(1)> %p3.1, ptr %rows, align 64
  br label %rows.piece

rows.piece:
  %j.1 = phi i32 [ 0, %rows.start ], [ %j.2, %rows.done ]
  %sum.1 = phi <8 x i32> [ splat (i32 0), %rows.start ], [ %sum.2, %rows.done ]
  %26 = zext i32 %j.1 to i64
  %27 = add i32 %j.1, 8
  %28 = getelementptr inbounds ptr addrspace(1), ptr %rows.3, i64 0
  %29 = load ptr addrspace(1), ptr %28, align 8
  %30 = getelementptr inbounds i8, ptr %28, i64 8
  %31 = load ptr addrspace(1), ptr %30, align 8
  %32 = getelementptr inbounds i8, ptr %28, i64 16
  %33 = load ptr addrspace(1), ptr %32, align 8
  %34 = getelementptr inbounds i8, ptr %28, i64 24
  %35 = load ptr addrspace(1), ptr %34, align 8
  %36 = getelementptr inbounds i8, ptr %28, i64 32
  %37 = load ptr addrspace(1), ptr %36, align 8
  %38 = getelementptr inbounds i8, ptr %28, i64 40
  %39 = load ptr addrspace(1), ptr %38, align 8
  %40 = getelementptr inbounds i8, ptr %28, i64 48
  %41 = load ptr addrspace(1), ptr %40, align 8
  %42 = getelementptr inbounds i8, ptr %28, i64 56
  %43 = load ptr addrspace(1), ptr %42, align 8
  %44 = getelementptr inbounds i32, ptr addrspace(1) %29, i64 %26
  %45 = getelementptr inbounds i32, ptr addrspace(1) %31, i64 %26
  %46 = getelementptr inbounds i32, ptr addrspace(1) %33, i64 %26
  %47 = getelementptr inbounds i32, ptr addrspace(1) %35, i64 %26
  %48 = getelementptr inbounds i32, ptr addrspace(1) %37, i64 %26
  %49 = getelementptr inbounds i32, ptr addrspace(1) %39, i64 %26
  %50 = getelementptr inbounds i32, ptr addrspace(1) %41, i64 %26
  %51 = getelementptr inbounds i32, ptr addrspace(1) %43, i64 %26
  %52 = load <8 x i32>, ptr addrspace(1) %44, align 4
  %53 = load <8 x i32>, ptr addrspace(1) %45, align 4
  %54 = load <8 x i32>, ptr addrspace(1) %46, align 4
  %55 = load <8 x i32>, ptr addrspace(1) %47, align 4
  %56 = load <8 x i32>, ptr addrspace(1) %48, align 4
  %57 = load <8 x i32>, ptr addrspace(1) %49, align 4
  %58 = load <8 x i32>, ptr addrspace(1) %50, align 4
  %59 = load <8 x i32>, ptr addrspace(1) %51, align 4
  %60 = getelementptr inbounds <8 x i32>, ptr %columns.3, i64 0
  %61 = getelementptr inbounds i8, ptr %60, i64 32
  %62 = getelementptr inbounds i8, ptr %60, i64 64
  %63 = getelementptr inbounds i8, ptr %60, i64 96
  %64 = getelementptr inbounds i8, ptr %60, i64 128
  %65 = getelementptr inbounds i8, ptr %60, i64 160
  %66 = getelementptr inbounds i8, ptr %60, i64 192
  %67 = getelementptr inbounds i8, ptr %60, i64 224
  %68 = shufflevector <8 x i32> %52, <8 x i32> %53, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %69 = shufflevector <8 x i32> %52, <8 x i32> %53, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %70 = shufflevector <8 x i32> %54, <8 x i32> %55, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %71 = shufflevector <8 x i32> %54, <8 x i32> %55, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %72 = shufflevector <8 x i32> %56, <8 x i32> %57, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %73 = shufflevector <8 x i32> %56, <8 x i32> %57, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %74 = shufflevector <8 x i32> %58, <8 x i32> %59, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %75 = shufflevector <8 x i32> %58, <8 x i32> %59, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %76 = shufflevector <8 x i32> %68, <8 x i32> %70, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %77 = shufflevector <8 x i32> %68, <8 x i32> %70, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %78 = shufflevector <8 x i32> %69, <8 x i32> %71, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %79 = shufflevector <8 x i32> %69, <8 x i32> %71, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %80 = shufflevector <8 x i32> %72, <8 x i32> %74, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %81 = shufflevector <8 x i32> %72, <8 x i32> %74, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %82 = shufflevector <8 x i32> %73, <8 x i32> %75, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %83 = shufflevector <8 x i32> %73, <8 x i32> %75, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %84 = shufflevector <8 x i32> %76, <8 x i32> %80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %85 = shufflevector <8 x i32> %76, <8 x i32> %80, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %86 = shufflevector <8 x i32> %78, <8 x i32> %82, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %87 = shufflevector <8 x i32> %78, <8 x i32> %82, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %88 = shufflevector <8 x i32> %77, <8 x i32> %81, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %89 = shufflevector <8 x i32> %77, <8 x i32> %81, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %90 = shufflevector <8 x i32> %79, <8 x i32> %83, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %91 = shufflevector <8 x i32> %79, <8 x i32> %83, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %84, ptr %60, align 32
  store <8 x i32> %88, ptr %61, align 32
  store <8 x i32> %86, ptr %62, align 32
  store <8 x i32> %90, ptr %63, align 32
  store <8 x i32> %85, ptr %64, align 32
  store <8 x i32> %89, ptr %65, align 32
  store <8 x i32> %87, ptr %66, align 32
  store <8 x i32> %91, ptr %67, align 32
  %92 = getelementptr inbounds ptr addrspace(1), ptr %rows.2, i64 0
  %93 = load ptr addrspace(1), ptr %92, align 8
  %94 = getelementptr inbounds i8, ptr %92, i64 8
  %95 = load ptr addrspace(1), ptr %94, align 8
  %96 = getelementptr inbounds i8, ptr %92, i64 16
  %97 = load ptr addrspace(1), ptr %96, align 8
  %98 = getelementptr inbounds i8, ptr %92, i64 24
  %99 = load ptr addrspace(1), ptr %98, align 8
  %100 = getelementptr inbounds i8, ptr %92, i64 32
  %101 = load ptr addrspace(1), ptr %100, align 8
  %102 = getelementptr inbounds i8, ptr %92, i64 40
  %103 = load ptr addrspace(1), ptr %102, align 8
  %104 = getelementptr inbounds i8, ptr %92, i64 48
  %105 = load ptr addrspace(1), ptr %104, align 8
  %106 = getelementptr inbounds i8, ptr %92, i64 56
  %107 = load ptr addrspace(1), ptr %106, align 8
  %108 = getelementptr inbounds i32, ptr addrspace(1) %93, i64 %26
  %109 = getelementptr inbounds i32, ptr addrspace(1) %95, i64 %26
  %110 = getelementptr inbounds i32, ptr addrspace(1) %97, i64 %26
  %111 = getelementptr inbounds i32, ptr addrspace(1) %99, i64 %26
  %112 = getelementptr inbounds i32, ptr addrspace(1) %101, i64 %26
  %113 = getelementptr inbounds i32, ptr addrspace(1) %103, i64 %26
  %114 = getelementptr inbounds i32, ptr addrspace(1) %105, i64 %26
  %115 = getelementptr inbounds i32, ptr addrspace(1) %107, i64 %26
  %116 = load <8 x i32>, ptr addrspace(1) %108, align 4
  %117 = load <8 x i32>, ptr addrspace(1) %109, align 4
  %118 = load <8 x i32>, ptr addrspace(1) %110, align 4
  %119 = load <8 x i32>, ptr addrspace(1) %111, align 4
  %120 = load <8 x i32>, ptr addrspace(1) %112, align 4
  %121 = load <8 x i32>, ptr addrspace(1) %113, align 4
  %122 = load <8 x i32>, ptr addrspace(1) %114, align 4
  %123 = load <8 x i32>, ptr addrspace(1) %115, align 4
  %124 = getelementptr inbounds <8 x i32>, ptr %columns.2, i64 0
  %125 = getelementptr inbounds i8, ptr %124, i64 32
  %126 = getelementptr inbounds i8, ptr %124, i64 64
  %127 = getelementptr inbounds i8, ptr %124, i64 96
  %128 = getelementptr inbounds i8, ptr %124, i64 128
  %129 = getelementptr inbounds i8, ptr %124, i64 160
  %130 = getelementptr inbounds i8, ptr %124, i64 192
  %131 = getelementptr inbounds i8, ptr %124, i64 224
  %132 = shufflevector <8 x i32> %116, <8 x i32> %117, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %133 = shufflevector <8 x i32> %116, <8 x i32> %117, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %134 = shufflevector <8 x i32> %118, <8 x i32> %119, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %135 = shufflevector <8 x i32> %118, <8 x i32> %119, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %136 = shufflevector <8 x i32> %120, <8 x i32> %121, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %137 = shufflevector <8 x i32> %120, <8 x i32> %121, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %138 = shufflevector <8 x i32> %122, <8 x i32> %123, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %139 = shufflevector <8 x i32> %122, <8 x i32> %123, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %140 = shufflevector <8 x i32> %132, <8 x i32> %134, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %141 = shufflevector <8 x i32> %132, <8 x i32> %134, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %142 = shufflevector <8 x i32> %133, <8 x i32> %135, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %143 = shufflevector <8 x i32> %133, <8 x i32> %135, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %144 = shufflevector <8 x i32> %136, <8 x i32> %138, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %145 = shufflevector <8 x i32> %136, <8 x i32> %138, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %146 = shufflevector <8 x i32> %137, <8 x i32> %139, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %147 = shufflevector <8 x i32> %137, <8 x i32> %139, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %148 = shufflevector <8 x i32> %140, <8 x i32> %144, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %149 = shufflevector <8 x i32> %140, <8 x i32> %144, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %150 = shufflevector <8 x i32> %142, <8 x i32> %146, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %151 = shufflevector <8 x i32> %142, <8 x i32> %146, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %152 = shufflevector <8 x i32> %141, <8 x i32> %145, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %153 = shufflevector <8 x i32> %141, <8 x i32> %145, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %154 = shufflevector <8 x i32> %143, <8 x i32> %147, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %155 = shufflevector <8 x i32> %143, <8 x i32> %147, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %148, ptr %124, align 32
  store <8 x i32> %152, ptr %125, align 32
  store <8 x i32> %150, ptr %126, align 32
  store <8 x i32> %154, ptr %127, align 32
  store <8 x i32> %149, ptr %128, align 32
  store <8 x i32> %153, ptr %129, align 32
  store <8 x i32> %151, ptr %130, align 32
  store <8 x i32> %155, ptr %131, align 32
  %156 = getelementptr inbounds ptr addrspace(1), ptr %rows.1, i64 0
  %157 = load ptr addrspace(1), ptr %156, align 8
  %158 = getelementptr inbounds i8, ptr %156, i64 8
  %159 = load ptr addrspace(1), ptr %158, align 8
  %160 = getelementptr inbounds i8, ptr %156, i64 16
  %161 = load ptr addrspace(1), ptr %160, align 8
  %162 = getelementptr inbounds i8, ptr %156, i64 24
  %163 = load ptr addrspace(1), ptr %162, align 8
  %164 = getelementptr inbounds i8, ptr %156, i64 32
  %165 = load ptr addrspace(1), ptr %164, align 8
  %166 = getelementptr inbounds i8, ptr %156, i64 40
  %167 = load ptr addrspace(1), ptr %166, align 8
  %168 = getelementptr inbounds i8, ptr %156, i64 48
  %169 = load ptr addrspace(1), ptr %168, align 8
  %170 = getelementptr inbounds i8, ptr %156, i64 56
  %171 = load ptr addrspace(1), ptr %170, align 8
  %172 = getelementptr inbounds i32, ptr addrspace(1) %157, i64 %26
  %173 = getelementptr inbounds i32, ptr addrspace(1) %159, i64 %26
  %174 = getelementptr inbounds i32, ptr addrspace(1) %161, i64 %26
  %175 = getelementptr inbounds i32, ptr addrspace(1) %163, i64 %26
  %176 = getelementptr inbounds i32, ptr addrspace(1) %165, i64 %26
  %177 = getelementptr inbounds i32, ptr addrspace(1) %167, i64 %26
  %178 = getelementptr inbounds i32, ptr addrspace(1) %169, i64 %26
  %179 = getelementptr inbounds i32, ptr addrspace(1) %171, i64 %26
  %180 = load <8 x i32>, ptr addrspace(1) %172, align 4
  %181 = load <8 x i32>, ptr addrspace(1) %173, align 4
  %182 = load <8 x i32>, ptr addrspace(1) %174, align 4
  %183 = load <8 x i32>, ptr addrspace(1) %175, align 4
  %184 = load <8 x i32>, ptr addrspace(1) %176, align 4
  %185 = load <8 x i32>, ptr addrspace(1) %177, align 4
  %186 = load <8 x i32>, ptr addrspace(1) %178, align 4
  %187 = load <8 x i32>, ptr addrspace(1) %179, align 4
  %188 = getelementptr inbounds <8 x i32>, ptr %columns.1, i64 0
  %189 = getelementptr inbounds i8, ptr %188, i64 32
  %190 = getelementptr inbounds i8, ptr %188, i64 64
  %191 = getelementptr inbounds i8, ptr %188, i64 96
  %192 = getelementptr inbounds i8, ptr %188, i64 128
  %193 = getelementptr inbounds i8, ptr %188, i64 160
  %194 = getelementptr inbounds i8, ptr %188, i64 192
  %195 = getelementptr inbounds i8, ptr %188, i64 224
  %196 = shufflevector <8 x i32> %180, <8 x i32> %181, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %197 = shufflevector <8 x i32> %180, <8 x i32> %181, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %198 = shufflevector <8 x i32> %182, <8 x i32> %183, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %199 = shufflevector <8 x i32> %182, <8 x i32> %183, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %200 = shufflevector <8 x i32> %184, <8 x i32> %185, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %201 = shufflevector <8 x i32> %184, <8 x i32> %185, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %202 = shufflevector <8 x i32> %186, <8 x i32> %187, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %203 = shufflevector <8 x i32> %186, <8 x i32> %187, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %204 = shufflevector <8 x i32> %196, <8 x i32> %198, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %205 = shufflevector <8 x i32> %196, <8 x i32> %198, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %206 = shufflevector <8 x i32> %197, <8 x i32> %199, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %207 = shufflevector <8 x i32> %197, <8 x i32> %199, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %208 = shufflevector <8 x i32> %200, <8 x i32> %202, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %209 = shufflevector <8 x i32> %200, <8 x i32> %202, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %210 = shufflevector <8 x i32> %201, <8 x i32> %203, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %211 = shufflevector <8 x i32> %201, <8 x i32> %203, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %212 = shufflevector <8 x i32> %204, <8 x i32> %208, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %213 = shufflevector <8 x i32> %204, <8 x i32> %208, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %214 = shufflevector <8 x i32> %206, <8 x i32> %210, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %215 = shufflevector <8 x i32> %206, <8 x i32> %210, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %216 = shufflevector <8 x i32> %205, <8 x i32> %209, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %217 = shufflevector <8 x i32> %205, <8 x i32> %209, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %218 = shufflevector <8 x i32> %207, <8 x i32> %211, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %219 = shufflevector <8 x i32> %207, <8 x i32> %211, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %212, ptr %188, align 32
  store <8 x i32> %216, ptr %189, align 32
  store <8 x i32> %214, ptr %190, align 32
  store <8 x i32> %218, ptr %191, align 32
  store <8 x i32> %213, ptr %192, align 32
  store <8 x i32> %217, ptr %193, align 32
  store <8 x i32> %215, ptr %194, align 32
  store <8 x i32> %219, ptr %195, align 32
  %220 = getelementptr inbounds ptr addrspace(1), ptr %rows, i64 0
  %221 = load ptr addrspace(1), ptr %220, align 8
  %222 = getelementptr inbounds i8, ptr %220, i64 8
  %223 = load ptr addrspace(1), ptr %222, align 8
  %224 = getelementptr inbounds i8, ptr %220, i64 16
  %225 = load ptr addrspace(1), ptr %224, align 8
  %226 = getelementptr inbounds i8, ptr %220, i64 24
  %227 = load ptr addrspace(1), ptr %226, align 8
  %228 = getelementptr inbounds i8, ptr %220, i64 32
  %229 = load ptr addrspace(1), ptr %228, align 8
  %230 = getelementptr inbounds i8, ptr %220, i64 40
  %231 = load ptr addrspace(1), ptr %230, align 8
  %232 = getelementptr inbounds i8, ptr %220, i64 48
  %233 = load ptr addrspace(1), ptr %232, align 8
  %234 = getelementptr inbounds i8, ptr %220, i64 56
  %235 = load ptr addrspace(1), ptr %234, align 8
  %236 = getelementptr inbounds i32, ptr addrspace(1) %221, i64 %26
  %237 = getelementptr inbounds i32, ptr addrspace(1) %223, i64 %26
  %238 = getelementptr inbounds i32, ptr addrspace(1) %225, i64 %26
  %239 = getelementptr inbounds i32, ptr addrspace(1) %227, i64 %26
  %240 = getelementptr inbounds i32, ptr addrspace(1) %229, i64 %26
  %241 = getelementptr inbounds i32, ptr addrspace(1) %231, i64 %26
  %242 = getelementptr inbounds i32, ptr addrspace(1) %233, i64 %26
  %243 = getelementptr inbounds i32, ptr addrspace(1) %235, i64 %26
  %244 = load <8 x i32>, ptr addrspace(1) %236, align 4
  %245 = load <8 x i32>, ptr addrspace(1) %237, align 4
  %246 = load <8 x i32>, ptr addrspace(1) %238, align 4
  %247 = load <8 x i32>, ptr addrspace(1) %239, align 4
  %248 = load <8 x i32>, ptr addrspace(1) %240, align 4
  %249 = load <8 x i32>, ptr addrspace(1) %241, align 4
  %250 = load <8 x i32>, ptr addrspace(1) %242, align 4
  %251 = load <8 x i32>, ptr addrspace(1) %243, align 4
  %252 = getelementptr inbounds <8 x i32>, ptr %columns, i64 0
  %253 = getelementptr inbounds i8, ptr %252, i64 32
  %254 = getelementptr inbounds i8, ptr %252, i64 64
  %255 = getelementptr inbounds i8, ptr %252, i64 96
  %256 = getelementptr inbounds i8, ptr %252, i64 128
  %257 = getelementptr inbounds i8, ptr %252, i64 160
  %258 = getelementptr inbounds i8, ptr %252, i64 192
  %259 = getelementptr inbounds i8, ptr %252, i64 224
  %260 = shufflevector <8 x i32> %244, <8 x i32> %245, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %261 = shufflevector <8 x i32> %244, <8 x i32> %245, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %262 = shufflevector <8 x i32> %246, <8 x i32> %247, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %263 = shufflevector <8 x i32> %246, <8 x i32> %247, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %264 = shufflevector <8 x i32> %248, <8 x i32> %249, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %265 = shufflevector <8 x i32> %248, <8 x i32> %249, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %266 = shufflevector <8 x i32> %250, <8 x i32> %251, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %267 = shufflevector <8 x i32> %250, <8 x i32> %251, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %268 = shufflevector <8 x i32> %260, <8 x i32> %262, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %269 = shufflevector <8 x i32> %260, <8 x i32> %262, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %270 = shufflevector <8 x i32> %261, <8 x i32> %263, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %271 = shufflevector <8 x i32> %261, <8 x i32> %263, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %272 = shufflevector <8 x i32> %264, <8 x i32> %266, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %273 = shufflevector <8 x i32> %264, <8 x i32> %266, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %274 = shufflevector <8 x i32> %265, <8 x i32> %267, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %275 = shufflevector <8 x i32> %265, <8 x i32> %267, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %276 = shufflevector <8 x i32> %268, <8 x i32> %272, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %277 = shufflevector <8 x i32> %268, <8 x i32> %272, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %278 = shufflevector <8 x i32> %270, <8 x i32> %274, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %279 = shufflevector <8 x i32> %270, <8 x i32> %274, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %280 = shufflevector <8 x i32> %269, <8 x i32> %273, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %281 = shufflevector <8 x i32> %269, <8 x i32> %273, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %282 = shufflevector <8 x i32> %271, <8 x i32> %275, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %283 = shufflevector <8 x i32> %271, <8 x i32> %275, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %276, ptr %252, align 32
  store <8 x i32> %280, ptr %253, align 32
  store <8 x i32> %278, ptr %254, align 32
  store <8 x i32> %282, ptr %255, align 32
  store <8 x i32> %277, ptr %256, align 32
  store <8 x i32> %281, ptr %257, align 32
  store <8 x i32> %279, ptr %258, align 32
  store <8 x i32> %283, ptr %259, align 32
  br label %header.simd.rows

rows.done:
  %284 = sub i32 %n, %27
  %285 = icmp uge i32 %284, 8
  %286 = icmp slt i32 %27, %n
  %287 = and i1 %286, %285
  br i1 %287, label %rows.piece, label %header.simd

header.simd.rows:
  %j.2 = phi i32 [ %j.1, %rows.piece ], [ %next.1, %body.simd.rows ]
  %sum.2 = phi <8 x i32> [ %sum.1, %rows.piece ], [ %more.1, %body.simd.rows ]
  %on.1 = icmp slt i32 %j.2, %n
  %288 = icmp ne i32 %j.2, %27
  br i1 %288, label %body.simd.rows, label %rows.done

body.simd.rows:
  %289 = insertelement <8 x i32> poison, i32 %j.2, i32 0
  %290 = shufflevector <8 x i32> %289, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.5 = add nsw <8 x i32> %row, %290
  %at.5 = sext <8 x i32> %index.5 to <8 x i64>
  %p.5 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.5
  %291 = sub i32 %j.2, %j.1
  %292 = zext i32 %291 to i64
  %293 = getelementptr inbounds <8 x i32>, ptr %columns.3, i64 %292
  %294 = load <8 x i32>, ptr %293, align 32
  %p1.2 = getelementptr i8, <8 x ptr addrspace(1)> %p.5, i64 64
  %295 = sub i32 %j.2, %j.1
  %296 = zext i32 %295 to i64
  %297 = getelementptr inbounds <8 x i32>, ptr %columns.2, i64 %296
  %298 = load <8 x i32>, ptr %297, align 32
  %s1.1 = add <8 x i32> %294, %298
  %p2.2 = getelementptr i8, <8 x ptr addrspace(1)> %p.5, i64 128
  %299 = sub i32 %j.2, %j.1
  %300 = zext i32 %299 to i64
  %301 = getelementptr inbounds <8 x i32>, ptr %columns.1, i64 %300
  %302 = load <8 x i32>, ptr %301, align 32
  %s2.1 = add <8 x i32> %s1.1, %302
  %p3.2 = getelementptr i8, <8 x ptr addrspace(1)> %p.5, i64 192
  %303 = sub i32 %j.2, %j.1
  %304 = zext i32 %303 to i64
  %305 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %304
  %306 = load <8 x i32>, ptr %305, align 32
  %s3.1 = add <8 x i32> %s2.1, %306
  %p4.1 = getelementptr i8, <8 x ptr addrspace(1)> %p.5, i64 256
  %v4.1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p4.1, <8 x i1> splat (i1 true), <8 x i32> poison)
  %s4.1 = add <8 x i32> %s3.1, %v4.1
  %more.1 = sub <8 x i32> %s4.1, %sum.2
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
; missed: strip-mine-rows: @k: TooMany: the loop already accesses 4 rows
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
