; Ten work-items in eight lanes: the remainder loop also loads pieces of rows; inactive lanes access a spare row.
;! shows: fires
;! opt: -p isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only,vectorize-work-items,strip-mine-rows --local-size 10,1,1 --remarks strip-mine-rows
;! launch: 20 / 10
;! arg out: zeros(220, dtype=int32)
;! arg a: arange(220, dtype=int32)
;! arg n: 11
define spir_kernel void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %a, i32 %n) {
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
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
  store i32 %more, ptr addrspace(1) %q, align 4
  %next = add nsw i32 %j, 1
  br label %header

exit:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
; ---- expected

define void @weft.workgroup.k(ptr noalias readonly align 8 dereferenceable(104) %launch, ptr noalias readonly align 128 %args, ptr noalias align 128 %local, ptr noalias align 128 %context, i64 range(i64 0, 214748364) %group.x, i64 range(i64 0, 2147483648) %group.y, i64 range(i64 0, 2147483648) %group.z) {
entry:
  %columns = alloca [8 x <8 x i32>], align 32
  %columns.1 = alloca [8 x <8 x i32>], align 32
  %rows = alloca <8 x ptr addrspace(1)>, align 64
  %steps = alloca <8 x i64>, align 64
  %spare = alloca [8 x i32], align 4
  %rows.1 = alloca <8 x ptr addrspace(1)>, align 64
  %steps.1 = alloca <8 x i64>, align 64
  %spare.1 = alloca [8 x i32], align 4
  %columns.2 = alloca [8 x <8 x i32>], align 32
  %columns.3 = alloca [8 x <8 x i32>], align 32
  %rows.2 = alloca <8 x ptr addrspace(1)>, align 64
  %rows.3 = alloca <8 x ptr addrspace(1)>, align 64
  %out = load ptr addrspace(1), ptr %args, align 8
  %0 = getelementptr inbounds i8, ptr %args, i64 8
  %a = load ptr addrspace(1), ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %args, i64 16
  %n = load i32, ptr %1, align 4
  %2 = mul i64 %group.x, 10
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
  %5 = icmp ne i32 8, 0
  br i1 %5, label %region.0.x.simd, label %simd.scalar

region.0.end:
  br label %exit.barrier

region.0.x.simd:
  %lane.0 = phi i32 [ 0, %region.0.pre ], [ %lane.next, %region.0.x.latch.simd ]
  %gid.x = add nuw nsw i32 %4, %lane.0
  %6 = sext i32 %4 to i64
  %7 = sext i32 %lane.0 to i64
  %8 = add i64 %6, %7
  br label %entry.simd

entry.simd:
  %i = trunc i64 %8 to i32
  %9 = insertelement <8 x i32> poison, i32 %i, i32 0
  %10 = shufflevector <8 x i32> %9, <8 x i32> poison, <8 x i32> zeroinitializer
  %11 = add <8 x i32> %10, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %12 = insertelement <8 x i32> poison, i32 %n, i32 0
  %13 = shufflevector <8 x i32> %12, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %11, %13
  %14 = icmp uge i32 %n, 8
  %15 = icmp slt i32 0, %n
  %16 = and i1 %15, %14
  br i1 %16, label %rows.start, label %header.simd

header.simd:
  %j = phi i32 [ 0, %entry.simd ], [ %next, %body.simd ], [ %j.3, %rows.done ]
  %sum = phi <8 x i32> [ splat (i32 0), %entry.simd ], [ %more, %body.simd ], [ %sum.3, %rows.done ]
  %on = icmp slt i32 %j, %n
  br i1 %on, label %body.simd, label %exit.simd

exit.simd:
  br label %region.0.x.latch.simd

region.0.x.latch.simd:
  %lane.next = add nuw nsw i32 %lane.0, 8
  %17 = icmp ult i32 %lane.next, 8
  br i1 %17, label %region.0.x.simd, label %simd.remainder, !llvm.loop !7

body.simd:
  %18 = insertelement <8 x i32> poison, i32 %j, i32 0
  %19 = shufflevector <8 x i32> %18, <8 x i32> poison, <8 x i32> zeroinitializer
  %index = add nsw <8 x i32> %row, %19
  %at = sext <8 x i32> %index to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p, <8 x i1> splat (i1 true), <8 x i32> poison)
  %more = add <8 x i32> %sum, %v
  %q = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %more, <8 x ptr addrspace(1)> align 4 %q, <8 x i1> splat (i1 true))
  %next = add nsw i32 %j, 1
  br label %header.simd

simd.remainder:
  %20 = icmp ne i32 8, 10
  br i1 %20, label %simd.scalar, label %region.0.end

simd.scalar:
  %first.left = phi i32 [ 0, %region.0.pre ], [ 8, %simd.remainder ]
  %21 = add i32 %first.left, 8
  br label %region.0.x.simd.1

region.0.x.simd.1:
  %lane.0.1 = phi i32 [ %first.left, %simd.scalar ]
  %22 = insertelement <8 x i32> poison, i32 %lane.0.1, i32 0
  %23 = shufflevector <8 x i32> %22, <8 x i32> poison, <8 x i32> zeroinitializer
  %24 = add <8 x i32> %23, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %25 = icmp ult <8 x i32> %24, splat (i32 10)
  %26 = xor <8 x i1> %25, splat (i1 true)
  %gid.x.1 = add i32 %4, %lane.0.1
  %27 = sext i32 %4 to i64
  %28 = sext i32 %lane.0.1 to i64
  %29 = add i64 %27, %28
  %i.1 = trunc i64 %29 to i32
  %30 = insertelement <8 x i32> poison, i32 %i.1, i32 0
  %31 = shufflevector <8 x i32> %30, <8 x i32> poison, <8 x i32> zeroinitializer
  %32 = add <8 x i32> %31, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %33 = insertelement <8 x i32> poison, i32 %n, i32 0
  %34 = shufflevector <8 x i32> %33, <8 x i32> poison, <8 x i32> zeroinitializer
  %row.1 = mul nsw <8 x i32> %32, %34
  %35 = bitcast <8 x i1> %25 to i8
  %36 = icmp ne i8 %35, 0
  br i1 %36, label %simd.enter, label %simd.left

region.0.x.latch.simd.1:
  br label %region.0.end

simd.left:
  br label %region.0.x.latch.simd.1

simd.enter:
  %37 = icmp uge i32 %n, 8
  %38 = icmp slt i32 0, %n
  %39 = and i1 %38, %37
  br i1 %39, label %rows.start.1, label %header.simd.1

header.simd.1:
  %j.1 = phi i32 [ 0, %simd.enter ], [ %next.1, %simd.stay ], [ %j.5, %rows.done.1 ]
  %sum.1 = phi <8 x i32> [ splat (i32 0), %simd.enter ], [ %more.1, %simd.stay ], [ %sum.5, %rows.done.1 ]
  %on.1 = icmp slt i32 %j.1, %n
  br i1 %on.1, label %simd.stay, label %simd.done

simd.done:
  br label %simd.left

simd.stay:
  %40 = insertelement <8 x i32> poison, i32 %j.1, i32 0
  %41 = shufflevector <8 x i32> %40, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.1 = add nsw <8 x i32> %row.1, %41
  %at.1 = sext <8 x i32> %index.1 to <8 x i64>
  %p.1 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.1
  %v.1 = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %p.1, <8 x i1> %25, <8 x i32> poison)
  %more.1 = add <8 x i32> %sum.1, %v.1
  %q.1 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.1
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %more.1, <8 x ptr addrspace(1)> align 4 %q.1, <8 x i1> %25)
  %next.1 = add nsw i32 %j.1, 1
  br label %header.simd.1

rows.start:
  %42 = insertelement <8 x i32> poison, i32 0, i32 0
  %43 = shufflevector <8 x i32> %42, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.2 = add nsw <8 x i32> %row, %43
  %at.2 = sext <8 x i32> %index.2 to <8 x i64>
  %p.2 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.2
  store <8 x ptr addrspace(1)> %p.2, ptr %rows.3, align 64
  %44 = insertelement <8 x i32> poison, i32 0, i32 0
  %45 = shufflevector <8 x i32> %44, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.3 = add nsw <8 x i32> %row, %45
  %at.3 = sext <8 x i32> %index.3 to <8 x i64>
  %q.2 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.3
  store <8 x ptr addrspace(1)> %q.2, ptr %rows.2, align 64
  br label %rows.piece

rows.piece:
  %j.2 = phi i32 [ 0, %rows.start ], [ %j.3, %rows.done ]
  %sum.2 = phi <8 x i32> [ splat (i32 0), %rows.start ], [ %sum.3, %rows.done ]
  %46 = zext i32 %j.2 to i64
  %47 = add i32 %j.2, 8
  %48 = getelementptr inbounds ptr addrspace(1), ptr %rows.3, i64 0
  %49 = load ptr addrspace(1), ptr %48, align 8
  %50 = getelementptr inbounds i8, ptr %48, i64 8
  %51 = load ptr addrspace(1), ptr %50, align 8
  %52 = getelementptr inbounds i8, ptr %48, i64 16
  %53 = load ptr addrspace(1), ptr %52, align 8
  %54 = getelementptr inbounds i8, ptr %48, i64 24
  %55 = load ptr addrspace(1), ptr %54, align 8
  %56 = getelementptr inbounds i8, ptr %48, i64 32
  %57 = load ptr addrspace(1), ptr %56, align 8
  %58 = getelementptr inbounds i8, ptr %48, i64 40
  %59 = load ptr addrspace(1), ptr %58, align 8
  %60 = getelementptr inbounds i8, ptr %48, i64 48
  %61 = load ptr addrspace(1), ptr %60, align 8
  %62 = getelementptr inbounds i8, ptr %48, i64 56
  %63 = load ptr addrspace(1), ptr %62, align 8
  %64 = getelementptr inbounds i32, ptr addrspace(1) %49, i64 %46
  %65 = getelementptr inbounds i32, ptr addrspace(1) %51, i64 %46
  %66 = getelementptr inbounds i32, ptr addrspace(1) %53, i64 %46
  %67 = getelementptr inbounds i32, ptr addrspace(1) %55, i64 %46
  %68 = getelementptr inbounds i32, ptr addrspace(1) %57, i64 %46
  %69 = getelementptr inbounds i32, ptr addrspace(1) %59, i64 %46
  %70 = getelementptr inbounds i32, ptr addrspace(1) %61, i64 %46
  %71 = getelementptr inbounds i32, ptr addrspace(1) %63, i64 %46
  %72 = load <8 x i32>, ptr addrspace(1) %64, align 4
  %73 = load <8 x i32>, ptr addrspace(1) %65, align 4
  %74 = load <8 x i32>, ptr addrspace(1) %66, align 4
  %75 = load <8 x i32>, ptr addrspace(1) %67, align 4
  %76 = load <8 x i32>, ptr addrspace(1) %68, align 4
  %77 = load <8 x i32>, ptr addrspace(1) %69, align 4
  %78 = load <8 x i32>, ptr addrspace(1) %70, align 4
  %79 = load <8 x i32>, ptr addrspace(1) %71, align 4
  %80 = getelementptr inbounds <8 x i32>, ptr %columns.3, i64 0
  %81 = getelementptr inbounds i8, ptr %80, i64 32
  %82 = getelementptr inbounds i8, ptr %80, i64 64
  %83 = getelementptr inbounds i8, ptr %80, i64 96
  %84 = getelementptr inbounds i8, ptr %80, i64 128
  %85 = getelementptr inbounds i8, ptr %80, i64 160
  %86 = getelementptr inbounds i8, ptr %80, i64 192
  %87 = getelementptr inbounds i8, ptr %80, i64 224
  %88 = shufflevector <8 x i32> %72, <8 x i32> %73, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %89 = shufflevector <8 x i32> %72, <8 x i32> %73, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %90 = shufflevector <8 x i32> %74, <8 x i32> %75, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %91 = shufflevector <8 x i32> %74, <8 x i32> %75, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %92 = shufflevector <8 x i32> %76, <8 x i32> %77, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %93 = shufflevector <8 x i32> %76, <8 x i32> %77, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %94 = shufflevector <8 x i32> %78, <8 x i32> %79, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %95 = shufflevector <8 x i32> %78, <8 x i32> %79, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %96 = shufflevector <8 x i32> %88, <8 x i32> %90, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %97 = shufflevector <8 x i32> %88, <8 x i32> %90, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %98 = shufflevector <8 x i32> %89, <8 x i32> %91, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %99 = shufflevector <8 x i32> %89, <8 x i32> %91, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %100 = shufflevector <8 x i32> %92, <8 x i32> %94, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %101 = shufflevector <8 x i32> %92, <8 x i32> %94, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %102 = shufflevector <8 x i32> %93, <8 x i32> %95, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %103 = shufflevector <8 x i32> %93, <8 x i32> %95, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %104 = shufflevector <8 x i32> %96, <8 x i32> %100, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %105 = shufflevector <8 x i32> %96, <8 x i32> %100, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %106 = shufflevector <8 x i32> %98, <8 x i32> %102, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %107 = shufflevector <8 x i32> %98, <8 x i32> %102, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %108 = shufflevector <8 x i32> %97, <8 x i32> %101, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %109 = shufflevector <8 x i32> %97, <8 x i32> %101, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %110 = shufflevector <8 x i32> %99, <8 x i32> %103, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %111 = shufflevector <8 x i32> %99, <8 x i32> %103, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %104, ptr %80, align 32
  store <8 x i32> %108, ptr %81, align 32
  store <8 x i32> %106, ptr %82, align 32
  store <8 x i32> %110, ptr %83, align 32
  store <8 x i32> %105, ptr %84, align 32
  store <8 x i32> %109, ptr %85, align 32
  store <8 x i32> %107, ptr %86, align 32
  store <8 x i32> %111, ptr %87, align 32
  br label %header.simd.rows

rows.done:
  %112 = getelementptr inbounds <8 x i32>, ptr %columns.2, i64 0
  %113 = getelementptr inbounds i8, ptr %112, i64 32
  %114 = getelementptr inbounds i8, ptr %112, i64 64
  %115 = getelementptr inbounds i8, ptr %112, i64 96
  %116 = getelementptr inbounds i8, ptr %112, i64 128
  %117 = getelementptr inbounds i8, ptr %112, i64 160
  %118 = getelementptr inbounds i8, ptr %112, i64 192
  %119 = getelementptr inbounds i8, ptr %112, i64 224
  %120 = load <8 x i32>, ptr %112, align 32
  %121 = load <8 x i32>, ptr %113, align 32
  %122 = load <8 x i32>, ptr %114, align 32
  %123 = load <8 x i32>, ptr %115, align 32
  %124 = load <8 x i32>, ptr %116, align 32
  %125 = load <8 x i32>, ptr %117, align 32
  %126 = load <8 x i32>, ptr %118, align 32
  %127 = load <8 x i32>, ptr %119, align 32
  %128 = getelementptr inbounds ptr addrspace(1), ptr %rows.2, i64 0
  %129 = load ptr addrspace(1), ptr %128, align 8
  %130 = getelementptr inbounds i8, ptr %128, i64 8
  %131 = load ptr addrspace(1), ptr %130, align 8
  %132 = getelementptr inbounds i8, ptr %128, i64 16
  %133 = load ptr addrspace(1), ptr %132, align 8
  %134 = getelementptr inbounds i8, ptr %128, i64 24
  %135 = load ptr addrspace(1), ptr %134, align 8
  %136 = getelementptr inbounds i8, ptr %128, i64 32
  %137 = load ptr addrspace(1), ptr %136, align 8
  %138 = getelementptr inbounds i8, ptr %128, i64 40
  %139 = load ptr addrspace(1), ptr %138, align 8
  %140 = getelementptr inbounds i8, ptr %128, i64 48
  %141 = load ptr addrspace(1), ptr %140, align 8
  %142 = getelementptr inbounds i8, ptr %128, i64 56
  %143 = load ptr addrspace(1), ptr %142, align 8
  %144 = getelementptr inbounds i32, ptr addrspace(1) %129, i64 %46
  %145 = getelementptr inbounds i32, ptr addrspace(1) %131, i64 %46
  %146 = getelementptr inbounds i32, ptr addrspace(1) %133, i64 %46
  %147 = getelementptr inbounds i32, ptr addrspace(1) %135, i64 %46
  %148 = getelementptr inbounds i32, ptr addrspace(1) %137, i64 %46
  %149 = getelementptr inbounds i32, ptr addrspace(1) %139, i64 %46
  %150 = getelementptr inbounds i32, ptr addrspace(1) %141, i64 %46
  %151 = getelementptr inbounds i32, ptr addrspace(1) %143, i64 %46
  %152 = shufflevector <8 x i32> %120, <8 x i32> %121, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %153 = shufflevector <8 x i32> %120, <8 x i32> %121, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %154 = shufflevector <8 x i32> %122, <8 x i32> %123, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %155 = shufflevector <8 x i32> %122, <8 x i32> %123, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %156 = shufflevector <8 x i32> %124, <8 x i32> %125, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %157 = shufflevector <8 x i32> %124, <8 x i32> %125, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %158 = shufflevector <8 x i32> %126, <8 x i32> %127, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %159 = shufflevector <8 x i32> %126, <8 x i32> %127, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %160 = shufflevector <8 x i32> %152, <8 x i32> %154, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %161 = shufflevector <8 x i32> %152, <8 x i32> %154, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %162 = shufflevector <8 x i32> %153, <8 x i32> %155, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %163 = shufflevector <8 x i32> %153, <8 x i32> %155, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %164 = shufflevector <8 x i32> %156, <8 x i32> %158, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %165 = shufflevector <8 x i32> %156, <8 x i32> %158, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %166 = shufflevector <8 x i32> %157, <8 x i32> %159, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %167 = shufflevector <8 x i32> %157, <8 x i32> %159, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %168 = shufflevector <8 x i32> %160, <8 x i32> %164, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %169 = shufflevector <8 x i32> %160, <8 x i32> %164, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %170 = shufflevector <8 x i32> %162, <8 x i32> %166, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %171 = shufflevector <8 x i32> %162, <8 x i32> %166, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %172 = shufflevector <8 x i32> %161, <8 x i32> %165, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %173 = shufflevector <8 x i32> %161, <8 x i32> %165, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %174 = shufflevector <8 x i32> %163, <8 x i32> %167, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %175 = shufflevector <8 x i32> %163, <8 x i32> %167, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %168, ptr addrspace(1) %144, align 4
  store <8 x i32> %172, ptr addrspace(1) %145, align 4
  store <8 x i32> %170, ptr addrspace(1) %146, align 4
  store <8 x i32> %174, ptr addrspace(1) %147, align 4
  store <8 x i32> %169, ptr addrspace(1) %148, align 4
  store <8 x i32> %173, ptr addrspace(1) %149, align 4
  store <8 x i32> %171, ptr addrspace(1) %150, align 4
  store <8 x i32> %175, ptr addrspace(1) %151, align 4
  %176 = sub i32 %n, %47
  %177 = icmp uge i32 %176, 8
  %178 = icmp slt i32 %47, %n
  %179 = and i1 %178, %177
  br i1 %179, label %rows.piece, label %header.simd

header.simd.rows:
  %j.3 = phi i32 [ %j.2, %rows.piece ], [ %next.2, %body.simd.rows ]
  %sum.3 = phi <8 x i32> [ %sum.2, %rows.piece ], [ %more.2, %body.simd.rows ]
  %on.2 = icmp slt i32 %j.3, %n
  %180 = icmp ne i32 %j.3, %47
  br i1 %180, label %body.simd.rows, label %rows.done

body.simd.rows:
  %181 = insertelement <8 x i32> poison, i32 %j.3, i32 0
  %182 = shufflevector <8 x i32> %181, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.4 = add nsw <8 x i32> %row, %182
  %at.4 = sext <8 x i32> %index.4 to <8 x i64>
  %p.3 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.4
  %183 = sub i32 %j.3, %j.2
  %184 = zext i32 %183 to i64
  %185 = getelementptr inbounds <8 x i32>, ptr %columns.3, i64 %184
  %186 = load <8 x i32>, ptr %185, align 32
  %more.2 = add <8 x i32> %sum.3, %186
  %q.3 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.4
  %187 = sub i32 %j.3, %j.2
  %188 = zext i32 %187 to i64
  %189 = getelementptr inbounds <8 x i32>, ptr %columns.2, i64 %188
  store <8 x i32> %more.2, ptr %189, align 32
  %next.2 = add nsw i32 %j.3, 1
  br label %header.simd.rows

rows.start.1:
  %190 = insertelement <8 x i32> poison, i32 0, i32 0
  %191 = shufflevector <8 x i32> %190, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.5 = add nsw <8 x i32> %row.1, %191
  %at.5 = sext <8 x i32> %index.5 to <8 x i64>
  %p.4 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.5
  %192 = addrspacecast ptr %spare.1 to ptr addrspace(1)
  %193 = insertelement <8 x ptr addrspace(1)> poison, ptr addrspace(1) %192, i32 0
  %194 = shufflevector <8 x ptr addrspace(1)> %193, <8 x ptr addrspace(1)> poison, <8 x i32> zeroinitializer
  %195 = select <8 x i1> %25, <8 x ptr addrspace(1)> %p.4, <8 x ptr addrspace(1)> %194
  %196 = sext <8 x i1> %25 to <8 x i64>
  store <8 x i64> %196, ptr %steps.1, align 64
  store <8 x ptr addrspace(1)> %195, ptr %rows.1, align 64
  %197 = insertelement <8 x i32> poison, i32 0, i32 0
  %198 = shufflevector <8 x i32> %197, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.6 = add nsw <8 x i32> %row.1, %198
  %at.6 = sext <8 x i32> %index.6 to <8 x i64>
  %q.4 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.6
  %199 = addrspacecast ptr %spare to ptr addrspace(1)
  %200 = insertelement <8 x ptr addrspace(1)> poison, ptr addrspace(1) %199, i32 0
  %201 = shufflevector <8 x ptr addrspace(1)> %200, <8 x ptr addrspace(1)> poison, <8 x i32> zeroinitializer
  %202 = select <8 x i1> %25, <8 x ptr addrspace(1)> %q.4, <8 x ptr addrspace(1)> %201
  %203 = sext <8 x i1> %25 to <8 x i64>
  store <8 x i64> %203, ptr %steps, align 64
  store <8 x ptr addrspace(1)> %202, ptr %rows, align 64
  br label %rows.piece.1

rows.piece.1:
  %j.4 = phi i32 [ 0, %rows.start.1 ], [ %j.5, %rows.done.1 ]
  %sum.4 = phi <8 x i32> [ splat (i32 0), %rows.start.1 ], [ %sum.5, %rows.done.1 ]
  %204 = zext i32 %j.4 to i64
  %205 = add i32 %j.4, 8
  %206 = getelementptr inbounds ptr addrspace(1), ptr %rows.1, i64 0
  %207 = load ptr addrspace(1), ptr %206, align 8
  %208 = getelementptr inbounds i8, ptr %206, i64 8
  %209 = load ptr addrspace(1), ptr %208, align 8
  %210 = getelementptr inbounds i8, ptr %206, i64 16
  %211 = load ptr addrspace(1), ptr %210, align 8
  %212 = getelementptr inbounds i8, ptr %206, i64 24
  %213 = load ptr addrspace(1), ptr %212, align 8
  %214 = getelementptr inbounds i8, ptr %206, i64 32
  %215 = load ptr addrspace(1), ptr %214, align 8
  %216 = getelementptr inbounds i8, ptr %206, i64 40
  %217 = load ptr addrspace(1), ptr %216, align 8
  %218 = getelementptr inbounds i8, ptr %206, i64 48
  %219 = load ptr addrspace(1), ptr %218, align 8
  %220 = getelementptr inbounds i8, ptr %206, i64 56
  %221 = load ptr addrspace(1), ptr %220, align 8
  %222 = getelementptr inbounds i64, ptr %steps.1, i64 0
  %223 = load i64, ptr %222, align 8
  %224 = getelementptr inbounds i8, ptr %222, i64 8
  %225 = load i64, ptr %224, align 8
  %226 = getelementptr inbounds i8, ptr %222, i64 16
  %227 = load i64, ptr %226, align 8
  %228 = getelementptr inbounds i8, ptr %222, i64 24
  %229 = load i64, ptr %228, align 8
  %230 = getelementptr inbounds i8, ptr %222, i64 32
  %231 = load i64, ptr %230, align 8
  %232 = getelementptr inbounds i8, ptr %222, i64 40
  %233 = load i64, ptr %232, align 8
  %234 = getelementptr inbounds i8, ptr %222, i64 48
  %235 = load i64, ptr %234, align 8
  %236 = getelementptr inbounds i8, ptr %222, i64 56
  %237 = load i64, ptr %236, align 8
  %238 = and i64 %204, %223
  %239 = and i64 %204, %225
  %240 = and i64 %204, %227
  %241 = and i64 %204, %229
  %242 = and i64 %204, %231
  %243 = and i64 %204, %233
  %244 = and i64 %204, %235
  %245 = and i64 %204, %237
  %246 = getelementptr inbounds i32, ptr addrspace(1) %207, i64 %238
  %247 = getelementptr inbounds i32, ptr addrspace(1) %209, i64 %239
  %248 = getelementptr inbounds i32, ptr addrspace(1) %211, i64 %240
  %249 = getelementptr inbounds i32, ptr addrspace(1) %213, i64 %241
  %250 = getelementptr inbounds i32, ptr addrspace(1) %215, i64 %242
  %251 = getelementptr inbounds i32, ptr addrspace(1) %217, i64 %243
  %252 = getelementptr inbounds i32, ptr addrspace(1) %219, i64 %244
  %253 = getelementptr inbounds i32, ptr addrspace(1) %221, i64 %245
  %254 = load <8 x i32>, ptr addrspace(1) %246, align 4
  %255 = load <8 x i32>, ptr addrspace(1) %247, align 4
  %256 = load <8 x i32>, ptr addrspace(1) %248, align 4
  %257 = load <8 x i32>, ptr addrspace(1) %249, align 4
  %258 = load <8 x i32>, ptr addrspace(1) %250, align 4
  %259 = load <8 x i32>, ptr addrspace(1) %251, align 4
  %260 = load <8 x i32>, ptr addrspace(1) %252, align 4
  %261 = load <8 x i32>, ptr addrspace(1) %253, align 4
  %262 = getelementptr inbounds <8 x i32>, ptr %columns.1, i64 0
  %263 = getelementptr inbounds i8, ptr %262, i64 32
  %264 = getelementptr inbounds i8, ptr %262, i64 64
  %265 = getelementptr inbounds i8, ptr %262, i64 96
  %266 = getelementptr inbounds i8, ptr %262, i64 128
  %267 = getelementptr inbounds i8, ptr %262, i64 160
  %268 = getelementptr inbounds i8, ptr %262, i64 192
  %269 = getelementptr inbounds i8, ptr %262, i64 224
  %270 = shufflevector <8 x i32> %254, <8 x i32> %255, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %271 = shufflevector <8 x i32> %254, <8 x i32> %255, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %272 = shufflevector <8 x i32> %256, <8 x i32> %257, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %273 = shufflevector <8 x i32> %256, <8 x i32> %257, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %274 = shufflevector <8 x i32> %258, <8 x i32> %259, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %275 = shufflevector <8 x i32> %258, <8 x i32> %259, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %276 = shufflevector <8 x i32> %260, <8 x i32> %261, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %277 = shufflevector <8 x i32> %260, <8 x i32> %261, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %278 = shufflevector <8 x i32> %270, <8 x i32> %272, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %279 = shufflevector <8 x i32> %270, <8 x i32> %272, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %280 = shufflevector <8 x i32> %271, <8 x i32> %273, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %281 = shufflevector <8 x i32> %271, <8 x i32> %273, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %282 = shufflevector <8 x i32> %274, <8 x i32> %276, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %283 = shufflevector <8 x i32> %274, <8 x i32> %276, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %284 = shufflevector <8 x i32> %275, <8 x i32> %277, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %285 = shufflevector <8 x i32> %275, <8 x i32> %277, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %286 = shufflevector <8 x i32> %278, <8 x i32> %282, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %287 = shufflevector <8 x i32> %278, <8 x i32> %282, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %288 = shufflevector <8 x i32> %280, <8 x i32> %284, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %289 = shufflevector <8 x i32> %280, <8 x i32> %284, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %290 = shufflevector <8 x i32> %279, <8 x i32> %283, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %291 = shufflevector <8 x i32> %279, <8 x i32> %283, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %292 = shufflevector <8 x i32> %281, <8 x i32> %285, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %293 = shufflevector <8 x i32> %281, <8 x i32> %285, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %286, ptr %262, align 32
  store <8 x i32> %290, ptr %263, align 32
  store <8 x i32> %288, ptr %264, align 32
  store <8 x i32> %292, ptr %265, align 32
  store <8 x i32> %287, ptr %266, align 32
  store <8 x i32> %291, ptr %267, align 32
  store <8 x i32> %289, ptr %268, align 32
  store <8 x i32> %293, ptr %269, align 32
  br label %header.simd.rows.1

rows.done.1:
  %294 = getelementptr inbounds <8 x i32>, ptr %columns, i64 0
  %295 = getelementptr inbounds i8, ptr %294, i64 32
  %296 = getelementptr inbounds i8, ptr %294, i64 64
  %297 = getelementptr inbounds i8, ptr %294, i64 96
  %298 = getelementptr inbounds i8, ptr %294, i64 128
  %299 = getelementptr inbounds i8, ptr %294, i64 160
  %300 = getelementptr inbounds i8, ptr %294, i64 192
  %301 = getelementptr inbounds i8, ptr %294, i64 224
  %302 = load <8 x i32>, ptr %294, align 32
  %303 = load <8 x i32>, ptr %295, align 32
  %304 = load <8 x i32>, ptr %296, align 32
  %305 = load <8 x i32>, ptr %297, align 32
  %306 = load <8 x i32>, ptr %298, align 32
  %307 = load <8 x i32>, ptr %299, align 32
  %308 = load <8 x i32>, ptr %300, align 32
  %309 = load <8 x i32>, ptr %301, align 32
  %310 = getelementptr inbounds ptr addrspace(1), ptr %rows, i64 0
  %311 = load ptr addrspace(1), ptr %310, align 8
  %312 = getelementptr inbounds i8, ptr %310, i64 8
  %313 = load ptr addrspace(1), ptr %312, align 8
  %314 = getelementptr inbounds i8, ptr %310, i64 16
  %315 = load ptr addrspace(1), ptr %314, align 8
  %316 = getelementptr inbounds i8, ptr %310, i64 24
  %317 = load ptr addrspace(1), ptr %316, align 8
  %318 = getelementptr inbounds i8, ptr %310, i64 32
  %319 = load ptr addrspace(1), ptr %318, align 8
  %320 = getelementptr inbounds i8, ptr %310, i64 40
  %321 = load ptr addrspace(1), ptr %320, align 8
  %322 = getelementptr inbounds i8, ptr %310, i64 48
  %323 = load ptr addrspace(1), ptr %322, align 8
  %324 = getelementptr inbounds i8, ptr %310, i64 56
  %325 = load ptr addrspace(1), ptr %324, align 8
  %326 = getelementptr inbounds i64, ptr %steps, i64 0
  %327 = load i64, ptr %326, align 8
  %328 = getelementptr inbounds i8, ptr %326, i64 8
  %329 = load i64, ptr %328, align 8
  %330 = getelementptr inbounds i8, ptr %326, i64 16
  %331 = load i64, ptr %330, align 8
  %332 = getelementptr inbounds i8, ptr %326, i64 24
  %333 = load i64, ptr %332, align 8
  %334 = getelementptr inbounds i8, ptr %326, i64 32
  %335 = load i64, ptr %334, align 8
  %336 = getelementptr inbounds i8, ptr %326, i64 40
  %337 = load i64, ptr %336, align 8
  %338 = getelementptr inbounds i8, ptr %326, i64 48
  %339 = load i64, ptr %338, align 8
  %340 = getelementptr inbounds i8, ptr %326, i64 56
  %341 = load i64, ptr %340, align 8
  %342 = and i64 %204, %327
  %343 = and i64 %204, %329
  %344 = and i64 %204, %331
  %345 = and i64 %204, %333
  %346 = and i64 %204, %335
  %347 = and i64 %204, %337
  %348 = and i64 %204, %339
  %349 = and i64 %204, %341
  %350 = getelementptr inbounds i32, ptr addrspace(1) %311, i64 %342
  %351 = getelementptr inbounds i32, ptr addrspace(1) %313, i64 %343
  %352 = getelementptr inbounds i32, ptr addrspace(1) %315, i64 %344
  %353 = getelementptr inbounds i32, ptr addrspace(1) %317, i64 %345
  %354 = getelementptr inbounds i32, ptr addrspace(1) %319, i64 %346
  %355 = getelementptr inbounds i32, ptr addrspace(1) %321, i64 %347
  %356 = getelementptr inbounds i32, ptr addrspace(1) %323, i64 %348
  %357 = getelementptr inbounds i32, ptr addrspace(1) %325, i64 %349
  %358 = shufflevector <8 x i32> %302, <8 x i32> %303, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %359 = shufflevector <8 x i32> %302, <8 x i32> %303, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %360 = shufflevector <8 x i32> %304, <8 x i32> %305, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %361 = shufflevector <8 x i32> %304, <8 x i32> %305, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %362 = shufflevector <8 x i32> %306, <8 x i32> %307, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %363 = shufflevector <8 x i32> %306, <8 x i32> %307, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %364 = shufflevector <8 x i32> %308, <8 x i32> %309, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %365 = shufflevector <8 x i32> %308, <8 x i32> %309, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %366 = shufflevector <8 x i32> %358, <8 x i32> %360, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %367 = shufflevector <8 x i32> %358, <8 x i32> %360, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %368 = shufflevector <8 x i32> %359, <8 x i32> %361, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %369 = shufflevector <8 x i32> %359, <8 x i32> %361, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %370 = shufflevector <8 x i32> %362, <8 x i32> %364, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %371 = shufflevector <8 x i32> %362, <8 x i32> %364, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %372 = shufflevector <8 x i32> %363, <8 x i32> %365, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %373 = shufflevector <8 x i32> %363, <8 x i32> %365, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %374 = shufflevector <8 x i32> %366, <8 x i32> %370, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %375 = shufflevector <8 x i32> %366, <8 x i32> %370, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %376 = shufflevector <8 x i32> %368, <8 x i32> %372, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %377 = shufflevector <8 x i32> %368, <8 x i32> %372, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %378 = shufflevector <8 x i32> %367, <8 x i32> %371, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %379 = shufflevector <8 x i32> %367, <8 x i32> %371, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %380 = shufflevector <8 x i32> %369, <8 x i32> %373, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %381 = shufflevector <8 x i32> %369, <8 x i32> %373, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  store <8 x i32> %374, ptr addrspace(1) %350, align 4
  store <8 x i32> %378, ptr addrspace(1) %351, align 4
  store <8 x i32> %376, ptr addrspace(1) %352, align 4
  store <8 x i32> %380, ptr addrspace(1) %353, align 4
  store <8 x i32> %375, ptr addrspace(1) %354, align 4
  store <8 x i32> %379, ptr addrspace(1) %355, align 4
  store <8 x i32> %377, ptr addrspace(1) %356, align 4
  store <8 x i32> %381, ptr addrspace(1) %357, align 4
  %382 = sub i32 %n, %205
  %383 = icmp uge i32 %382, 8
  %384 = icmp slt i32 %205, %n
  %385 = and i1 %384, %383
  br i1 %385, label %rows.piece.1, label %header.simd.1

header.simd.rows.1:
  %j.5 = phi i32 [ %j.4, %rows.piece.1 ], [ %next.3, %simd.stay.rows ]
  %sum.5 = phi <8 x i32> [ %sum.4, %rows.piece.1 ], [ %more.3, %simd.stay.rows ]
  %on.3 = icmp slt i32 %j.5, %n
  %386 = icmp ne i32 %j.5, %205
  br i1 %386, label %simd.stay.rows, label %rows.done.1

simd.stay.rows:
  %387 = insertelement <8 x i32> poison, i32 %j.5, i32 0
  %388 = shufflevector <8 x i32> %387, <8 x i32> poison, <8 x i32> zeroinitializer
  %index.7 = add nsw <8 x i32> %row.1, %388
  %at.7 = sext <8 x i32> %index.7 to <8 x i64>
  %p.5 = getelementptr i32, ptr addrspace(1) %a, <8 x i64> %at.7
  %389 = sub i32 %j.5, %j.4
  %390 = zext i32 %389 to i64
  %391 = getelementptr inbounds <8 x i32>, ptr %columns.1, i64 %390
  %392 = load <8 x i32>, ptr %391, align 32
  %more.3 = add <8 x i32> %sum.5, %392
  %q.5 = getelementptr i32, ptr addrspace(1) %out, <8 x i64> %at.7
  %393 = sub i32 %j.5, %j.4
  %394 = zext i32 %393 to i64
  %395 = getelementptr inbounds <8 x i32>, ptr %columns, i64 %394
  store <8 x i32> %more.3, ptr %395, align 32
  %next.3 = add nsw i32 %j.5, 1
  br label %header.simd.rows.1
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)

declare void @llvm.masked.scatter.v8i32.v8p1(<8 x i32>, <8 x ptr addrspace(1)>, <8 x i1>)


!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.mustprogress"}
!3 = !{!"weft.work_items"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !1, !2, !3, !4}
!6 = !{!"llvm.loop.isvectorized", i32 1}
!7 = distinct !{!7, !6}
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
; passed: strip-mine-rows: @k: TransposedRowPieces: pieces of rows, transposed
