; Scatters into private arrays cannot alias the row that a lane loads.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,private-arrays-by-lane,vectorize-work-items,strip-mine-rows --local-size 8,1,1 --lanes 8 --remarks strip-mine-rows
;! launch: 16 / 8
;! arg out: zeros(16, dtype=int32)
;! arg a: arange(176, dtype=int32) % 97
;! arg n: 11
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %own = alloca [64 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %own, i8 0, i64 256, i1 false)
  %id = call i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %i, %n
  br label %header

header:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body, label %exit

body:
  %index = add nsw i32 %row, %j
  %at = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %bin = and i32 %v, 63
  %bin64 = zext nneg i32 %bin to i64
  %q = getelementptr [64 x i32], ptr %own, i64 0, i64 %bin64
  %old = load i32, ptr %q, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr %q, align 4
  %next = add nsw i32 %j, 1
  br label %header

exit:
  %first = getelementptr [64 x i32], ptr %own, i64 0, i64 5
  %result = load i32, ptr %first, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %result, ptr addrspace(1) %to, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
; ---- expected

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 268435456) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %columns = alloca [8 x <8 x i32>], align 32
  %rows = alloca <8 x ptr addrspace(1)>, align 64
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %own = alloca [512 x i32], align 64
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
  %lane = add i32 0, 0
  %5 = getelementptr [4 x i8], ptr %own, i32 %lane
  %gid.x = add nuw nsw i32 %4, %lane.0
  %6 = sext i32 %4 to i64
  %7 = sext i32 %lane.0 to i64
  %8 = add i64 %6, %7
  br label %entry.simd

entry.simd:
  store <8 x i32> splat (i32 0), ptr %5, align 4
  %9 = getelementptr [32 x i8], ptr %5, i32 1
  store <8 x i32> splat (i32 0), ptr %9, align 4
  %10 = getelementptr [32 x i8], ptr %5, i32 2
  store <8 x i32> splat (i32 0), ptr %10, align 4
  %11 = getelementptr [32 x i8], ptr %5, i32 3
  store <8 x i32> splat (i32 0), ptr %11, align 4
  %12 = getelementptr [32 x i8], ptr %5, i32 4
  store <8 x i32> splat (i32 0), ptr %12, align 4
  %13 = getelementptr [32 x i8], ptr %5, i32 5
  store <8 x i32> splat (i32 0), ptr %13, align 4
  %14 = getelementptr [32 x i8], ptr %5, i32 6
  store <8 x i32> splat (i32 0), ptr %14, align 4
  %15 = getelementptr [32 x i8], ptr %5, i32 7
  store <8 x i32> splat (i32 0), ptr %15, align 4
  %16 = getelementptr [32 x i8], ptr %5, i32 8
  store <8 x i32> splat (i32 0), ptr %16, align 4
  %17 = getelementptr [32 x i8], ptr %5, i32 9
  store <8 x i32> splat (i32 0), ptr %17, align 4
  %18 = getelementptr [32 x i8], ptr %5, i32 10
  store <8 x i32> splat (i32 0), ptr %18, align 4
  %19 = getelementptr [32 x i8], ptr %5, i32 11
  store <8 x i32> splat (i32 0), ptr %19, align 4
  %20 = getelementptr [32 x i8], ptr %5, i32 12
  store <8 x i32> splat (i32 0), ptr %20, align 4
  %21 = getelementptr [32 x i8], ptr %5, i32 13
  store <8 x i32> splat (i32 0), ptr %21, align 4
  %22 = getelementptr [32 x i8], ptr %5, i32 14
  store <8 x i32> splat (i32 0), ptr %22, align 4
  %23 = getelementptr [32 x i8], ptr %5, i32 15
  store <8 x i32> splat (i32 0), ptr %23, align 4
  %24 = getelementptr [32 x i8], ptr %5, i32 16
  store <8 x i32> splat (i32 0), ptr %24, align 4
  %25 = getelementptr [32 x i8], ptr %5, i32 17
  store <8 x i32> splat (i32 0), ptr %25, align 4
  %26 = getelementptr [32 x i8], ptr %5, i32 18
  store <8 x i32> splat (i32 0), ptr %26, align 4
  %27 = getelementptr [32 x i8], ptr %5, i32 19
  store <8 x i32> splat (i32 0), ptr %27, align 4
  %28 = getelementptr [32 x i8], ptr %5, i32 20
  store <8 x i32> splat (i32 0), ptr %28, align 4
  %29 = getelementptr [32 x i8], ptr %5, i32 21
  store <8 x i32> splat (i32 0), ptr %29, align 4
  %30 = getelementptr [32 x i8], ptr %5, i32 22
  store <8 x i32> splat (i32 0), ptr %30, align 4
  %31 = getelementptr [32 x i8], ptr %5, i32 23
  store <8 x i32> splat (i32 0), ptr %31, align 4
  %32 = getelementptr [32 x i8], ptr %5, i32 24
  store <8 x i32> splat (i32 0), ptr %32, align 4
  %33 = getelementptr [32 x i8], ptr %5, i32 25
  store <8 x i32> splat (i32 0), ptr %33, align 4
  %34 = getelementptr [32 x i8], ptr %5, i32 26
  store <8 x i32> splat (i32 0), ptr %34, align 4
  %35 = getelementptr [32 x i8], ptr %5, i32 27
  store <8 x i32> splat (i32 0), ptr %35, align 4
  %36 = getelementptr [32 x i8], ptr %5, i32 28
  store <8 x i32> splat (i32 0), ptr %36, align 4
  %37 = getelementptr [32 x i8], ptr %5, i32 29
  store <8 x i32> splat (i32 0), ptr %37, align 4
  %38 = getelementptr [32 x i8], ptr %5, i32 30
  store <8 x i32> splat (i32 0), ptr %38, align 4
  %39 = getelementptr [32 x i8], ptr %5, i32 31
  store <8 x i32> splat (i32 0), ptr %39, align 4
  %40 = getelementptr [32 x i8], ptr %5, i32 32
  store <8 x i32> splat (i32 0), ptr %40, align 4
  %41 = getelementptr [32 x i8], ptr %5, i32 33
  store <8 x i32> splat (i32 0), ptr %41, align 4
  %42 = getelementptr [32 x i8], ptr %5, i32 34
  store <8 x i32> splat (i32 0), ptr %42, align 4
  %43 = getelementptr [32 x i8], ptr %5, i32 35
  store <8 x i32> splat (i32 0), ptr %43, align 4
  %44 = getelementptr [32 x i8], ptr %5, i32 36
  store <8 x i32> splat (i32 0), ptr %44, align 4
  %45 = getelementptr [32 x i8], ptr %5, i32 37
  store <8 x i32> splat (i32 0), ptr %45, align 4
  %46 = getelementptr [32 x i8], ptr %5, i32 38
  store <8 x i32> splat (i32 0), ptr %46, align 4
  %47 = getelementptr [32 x i8], ptr %5, i32 39
  store <8 x i32> splat (i32 0), ptr %47, align 4
  %48 = getelementptr [32 x i8], ptr %5, i32 40
  store <8 x i32> splat (i32 0), ptr %48, align 4
  %49 = getelementptr [32 x i8], ptr %5, i32 41
  store <8 x i32> splat (i32 0), ptr %49, align 4
  %50 = getelementptr [32 x i8], ptr %5, i32 42
  store <8 x i32> splat (i32 0), ptr %50, align 4
  %51 = getelementptr [32 x i8], ptr %5, i32 43
  store <8 x i32> splat (i32 0), ptr %51, align 4
  %52 = getelementptr [32 x i8], ptr %5, i32 44
  store <8 x i32> splat (i32 0), ptr %52, align 4
  %53 = getelementptr [32 x i8], ptr %5, i32 45
  store <8 x i32> splat (i32 0), ptr %53, align 4
  %54 = getelementptr [32 x i8], ptr %5, i32 46
  store <8 x i32> splat (i32 0), ptr %54, align 4
  %55 = getelementptr [32 x i8], ptr %5, i32 47
  store <8 x i32> splat (i32 0), ptr %55, align 4
  %56 = getelementptr [32 x i8], ptr %5, i32 48
  store <8 x i32> splat (i32 0), ptr %56, align 4
  %57 = getelementptr [32 x i8], ptr %5, i32 49
  store <8 x i32> splat (i32 0), ptr %57, align 4
  %58 = getelementptr [32 x i8], ptr %5, i32 50
  store <8 x i32> splat (i32 0), ptr %58, align 4
  %59 = getelementptr [32 x i8], ptr %5, i32 51
  store <8 x i32> splat (i32 0), ptr %59, align 4
  %60 = getelementptr [32 x i8], ptr %5, i32 52
  store <8 x i32> splat (i32 0), ptr %60, align 4
  %61 = getelementptr [32 x i8], ptr %5, i32 53
  store <8 x i32> splat (i32 0), ptr %61, align 4
  %62 = getelementptr [32 x i8], ptr %5, i32 54
  store <8 x i32> splat (i32 0), ptr %62, align 4
  %63 = getelementptr [32 x i8], ptr %5, i32 55
  store <8 x i32> splat (i32 0), ptr %63, align 4
  %64 = getelementptr [32 x i8], ptr %5, i32 56
  store <8 x i32> splat (i32 0), ptr %64, align 4
  %65 = getelementptr [32 x i8], ptr %5, i32 57
  store <8 x i32> splat (i32 0), ptr %65, align 4
  %66 = getelementptr [32 x i8], ptr %5, i32 58
  store <8 x i32> splat (i32 0), ptr %66, align 4
  %67 = getelementptr [32 x i8], ptr %5, i32 59
  store <8 x i32> splat (i32 0), ptr %67, align 4
  %68 = getelementptr [32 x i8], ptr %5, i32 60
  store <8 x i32> splat (i32 0), ptr %68, align 4
  %69 = getelementptr [32 x i8], ptr %5, i32 61
  store <8 x i32> splat (i32 0), ptr %69, align 4
  %70 = getelementptr [32 x i8], ptr %5, i32 62
  store <8 x i32> splat (i32 0), ptr %70, align 4
  %71 = getelementptr [32 x i8], ptr %5, i32 63
  store <8 x i32> splat (i32 0), ptr %71, align 4
  %i = trunc i64 %8 to i32
  %72 = insertelement <8 x i32> poison, i32 %i, i32 0
  %73 = shufflevector <8 x i32> %72, <8 x i32> poison, <8 x i32> zeroinitializer
  %74 = add <8 x i32> %73, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %75 = insertelement <8 x i32> poison, i32 %n, i32 0
  %76 = shufflevector <8 x i32> %75, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %74, %76
  %77 = icmp uge i32 %n, 8
  %78 = icmp slt i32 0, %n
  %79 = and i1 %78, %77
  br i1 %79, label %rows.start, label %header.simd

header.simd:
  %j = phi i32 [ 0, %entry.simd ], [ %next, %body.simd ], [ %j.2, %rows.done ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body.simd, label %exit.simd

exit.simd:
  %first = getelementptr [32 x i8], ptr %5, i64 5
  %result = load <8 x i32>, ptr %first, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %8
  store <8 x i32> %result, ptr addrspace(1) %to, align 4
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  br label %region.0.end

body.simd:
  %80 = insertelement <8 x i32> poison, i32 %j, i32 0
  %81 = shufflevector <8 x i32> %80, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add nsw <8 x i32> %row, %81
  %at = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p, <8 x i1> splat (i1 true), <8 x i32> poison)
  %bin = and <8 x i32> %v, splat (i32 63)
  %bin64 = zext nneg <8 x i32> %bin to <8 x i64>
  %82 = getelementptr i8, ptr %5, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  %q = getelementptr [32 x i8], <8 x ptr> %82, <8 x i64> %bin64
  %old = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x i32> poison)
  %new = add <8 x i32> %old, splat (i32 1)
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %new, <8 x ptr> align 4 %q, <8 x i1> splat (i1 true))
  %next = add nsw i32 %j, 1
  br label %header.simd

rows.start:
  %83 = insertelement <8 x i32> poison, i32 0, i32 0
  %84 = shufflevector <8 x i32> %83, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row, %84
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.1
  store <8 x ptr addrspace(1)> %p.1, ptr %rows, align 64
  br label %rows.piece

rows.piece:
  %j.1 = phi i32 [ 0, %rows.start ], [ %j.2, %rows.done ]
  %85 = zext i32 %j.1 to i64
  %86 = add i32 %j.1, 8
  %87 = getelementptr inbounds ptr addrspace(1), ptr %rows, i64 0
  %88 = load ptr addrspace(1), ptr %87, align 8
  %89 = getelementptr inbounds i8, ptr %87, i64 8
  %90 = load ptr addrspace(1), ptr %89, align 8
  %91 = getelementptr inbounds i8, ptr %87, i64 16
  %92 = load ptr addrspace(1), ptr %91, align 8
  %93 = getelementptr inbounds i8, ptr %87, i64 24
  %94 = load ptr addrspace(1), ptr %93, align 8
  %95 = getelementptr inbounds i8, ptr %87, i64 32
  %96 = load ptr addrspace(1), ptr %95, align 8
  %97 = getelementptr inbounds i8, ptr %87, i64 40
  %98 = load ptr addrspace(1), ptr %97, align 8
  %99 = getelementptr inbounds i8, ptr %87, i64 48
  %100 = load ptr addrspace(1), ptr %99, align 8
  %101 = getelementptr inbounds i8, ptr %87, i64 56
  %102 = load ptr addrspace(1), ptr %101, align 8
  %103 = getelementptr inbounds i32, ptr addrspace(1) %88, i64 %85
  %104 = getelementptr inbounds i32, ptr addrspace(1) %90, i64 %85
  %105 = getelementptr inbounds i32, ptr addrspace(1) %92, i64 %85
  %106 = getelementptr inbounds i32, ptr addrspace(1) %94, i64 %85
  %107 = getelementptr inbounds i32, ptr addrspace(1) %96, i64 %85
  %108 = getelementptr inbounds i32, ptr addrspace(1) %98, i64 %85
  %109 = getelementptr inbounds i32, ptr addrspace(1) %100, i64 %85
  %110 = getelementptr inbounds i32, ptr addrspace(1) %102, i64 %85
  %111 = load <8 x i32>, ptr addrspace(1) %103, align 4
  %112 = load <8 x i32>, ptr addrspace(1) %104, align 4
  %113 = load <8 x i32>, ptr addrspace(1) %105, align 4
  %114 = load <8 x i32>, ptr addrspace(1) %106, align 4
  %115 = load <8 x i32>, ptr addrspace(1) %107, align 4
  %116 = load <8 x i32>, ptr addrspace(1) %108, align 4
  %117 = load <8 x i32>, ptr addrspace(1) %109, align 4
  %118 = load <8 x i32>, ptr addrspace(1) %110, align 4
  %119 = getelementptr inbounds <8 x i32>, ptr %columns, i64 0
  %120 = getelementptr inbounds i8, ptr %119, i64 32
  %121 = getelementptr inbounds i8, ptr %119, i64 64
  %122 = getelementptr inbounds i8, ptr %119, i64 96
  %123 = getelementptr inbounds i8, ptr %119, i64 128
  %124 = getelementptr inbounds i8, ptr %119, i64 160
  %125 = getelementptr inbounds i8, ptr %119, i64 192
  %126 = getelementptr inbounds i8, ptr %119, i64 224
  %127 = shufflevector <8 x i32> %111, <8 x i32> %112, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %128 = shufflevector <8 x i32> %111, <8 x i32> %112, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %129 = shufflevector <8 x i32> %113, <8 x i32> %114, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %130 = shufflevector <8 x i32> %113, <8 x i32> %114, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %131 = shufflevector <8 x i32> %115, <8 x i32> %116, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %132 = shufflevector <8 x i32> %115, <8 x i32> %116, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %133 = shufflevector <8 x i32> %117, <8 x i32> %118, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %134 = shufflevector <8 x i32> %117, <8 x i32> %118, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %135 = shufflevector <8 x i32> %127, <8 x i32> %129, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %136 = shufflevector <8 x i32> %127, <8 x i32> %129, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %137 = shufflevector <8 x i32> %128, <8 x i32> %130, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %138 = shufflevector <8 x i32> %128, <8 x i32> %130, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %139 = shufflevector <8 x i32> %131, <8 x i32> %133, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %140 = shufflevector <8 x i32> %131, <8 x i32> %133, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %141 = shufflevector <8 x i32> %132, <8 x i32> %134, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %142 = shufflevector <8 x i32> %132, <8 x i32> %134, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %143 = shufflevector <8 x i32> %135, <8 x i32> %139, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %144 = shufflevector <8 x i32> %135, <8 x i32> %139, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %145 = shufflevector <8 x i32> %137, <8 x i32> %141, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %146 = shufflevector <8 x i32> %137, <8 x i32> %141, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %147 = shufflevector <8 x i32> %136, <8 x i32> %140, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %148 = shufflevector <8 x i32> %136, <8 x i32> %140, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %149 = shufflevector <8 x i32> %138, <8 x i32> %142, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %150 = shufflevector <8 x i32> %138, <8 x i32> %142, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %143, ptr %119, align 32
  store <8 x i32> %147, ptr %120, align 32
  store <8 x i32> %145, ptr %121, align 32
  store <8 x i32> %149, ptr %122, align 32
  store <8 x i32> %144, ptr %123, align 32
  store <8 x i32> %148, ptr %124, align 32
  store <8 x i32> %146, ptr %125, align 32
  store <8 x i32> %150, ptr %126, align 32
  br label %header.simd.rows

rows.done:
  %151 = sub i32 %n, %86
  %152 = icmp uge i32 %151, 8
  %153 = icmp slt i32 %86, %n
  %154 = and i1 %153, %152
  br i1 %154, label %rows.piece, label %header.simd

header.simd.rows:
  %j.2 = phi i32 [ %j.1, %rows.piece ], [ %next.1, %body.simd.rows ]
  %on.1 = icmp slt i32 %j.2, %n
  %155 = icmp ne i32 %j.2, %86
  br i1 %155, label %body.simd.rows, label %rows.done

body.simd.rows:
  %156 = insertelement <8 x i32> poison, i32 %j.2, i32 0
  %157 = shufflevector <8 x i32> %156, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %157
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.2
  %158 = sub i32 %j.2, %j.1
  %159 = zext i32 %158 to i64
  %160 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %159
  %161 = load <8 x i32>, ptr %160, align 32
  %bin.1 = and <8 x i32> %161, splat (i32 63)
  %bin64.1 = zext nneg <8 x i32> %bin.1 to <8 x i64>
  %162 = getelementptr i8, ptr %5, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  %q.1 = getelementptr [32 x i8], <8 x ptr> %162, <8 x i64> %bin64.1
  %old.1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %q.1, <8 x i1> splat (i1 true), <8 x i32> poison)
  %new.1 = add <8 x i32> %old.1, splat (i32 1)
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %new.1, <8 x ptr> align 4 %q.1, <8 x i1> splat (i1 true))
  %next.1 = add nsw i32 %j.2, 1
  br label %header.simd.rows
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)

declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, <8 x i1>, <8 x i32>)

declare void @llvm.masked.scatter.v8i32.v8p0(<8 x i32>, <8 x ptr>, <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = distinct !{}
!7 = !{}
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
