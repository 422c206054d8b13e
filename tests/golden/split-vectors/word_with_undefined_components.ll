; Components that are not defined, always or for some work-items, leave the others of a stored integer as they are.
;! shows: fires
;! opt: -p inline-image-functions,split-vectors
define spir_kernel void @k(ptr %image, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  %c = call <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i5.10(ptr %image, i32 %x)
  %bytes = trunc <4 x i32> %c to <4 x i8>
  %red = extractelement <4 x i8> %bytes, i64 0
  %green = extractelement <4 x i8> %bytes, i64 1
  %sum = add i8 %red, %green
  %mixed = insertelement <4 x i8> %bytes, i8 %sum, i64 2
  %three = shufflevector <4 x i8> %mixed, <4 x i8> poison, <4 x i32> <i32 2, i32 1, i32 0, i32 poison>
  %p = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 %id
  store <4 x i8> %three, ptr addrspace(1) %p, align 4
  %odd = trunc i64 %id to i1
  br i1 %odd, label %then, label %end

then:
  %all = shufflevector <4 x i8> %bytes, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  br label %end

end:
  %some = phi <4 x i8> [ %three, %entry ], [ %all, %then ]
  %q = getelementptr <4 x i8>, ptr addrspace(1) %p, i64 64
  store <4 x i8> %some, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i5.10(ptr, i32)
; ---- expected
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define spir_kernel void @k(ptr %image, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  %0 = ptrtoint ptr %image to i64
  %1 = inttoptr i64 %0 to ptr addrspace(2)
  %width.i.i = getelementptr inbounds nuw i8, ptr addrspace(2) %1, i64 32
  %2 = load i32, ptr addrspace(2) %width.i.i, align 8, !invariant.load !0, !weft.descriptor !1
  %sub.i.i = add i32 %2, -1
  %cond.i.i = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %cond5.i.i = call i32 @llvm.smin.i32(i32 %cond.i.i, i32 %sub.i.i)
  %3 = load i64, ptr addrspace(2) %1, align 8, !invariant.load !0, !weft.descriptor !1
  %4 = inttoptr i64 %3 to ptr addrspace(1)
  %conv4.i.i = sext i32 %cond5.i.i to i64
  %mul6.i.i = shl nsw i64 %conv4.i.i, 2
  %add.ptr7.i.i = getelementptr inbounds i8, ptr addrspace(1) %4, i64 %mul6.i.i
  %5 = load i32, ptr addrspace(1) %add.ptr7.i.i, align 1
  %6 = trunc i32 %5 to i8
  %7 = lshr i32 %5, 8
  %8 = trunc i32 %7 to i8
  %9 = lshr i32 %5, 16
  %10 = trunc i32 %9 to i8
  %11 = lshr i32 %5, 24
  %12 = trunc i32 %11 to i8
  %sum = add i8 %6, %8
  %p = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 %id
  %13 = zext i8 %sum to i32
  %14 = zext i8 %8 to i32
  %15 = shl i32 %14, 8
  %16 = or i32 %13, %15
  %17 = zext i8 %6 to i32
  %18 = shl i32 %17, 16
  %19 = or i32 %16, %18
  store i32 %19, ptr addrspace(1) %p, align 4
  %odd = trunc i64 %id to i1
  %spec.select.0 = select i1 %odd, i8 %12, i8 %sum
  %spec.select.1 = select i1 %odd, i8 %10, i8 %8
  %spec.select.2 = select i1 %odd, i8 %8, i8 %6
  %spec.select.3 = select i1 %odd, i8 %6, i8 poison
  %q = getelementptr i8, ptr addrspace(1) %p, i64 256
  %20 = freeze i8 %spec.select.3
  %21 = zext i8 %spec.select.0 to i32
  %22 = zext i8 %spec.select.1 to i32
  %23 = shl i32 %22, 8
  %24 = or i32 %21, %23
  %25 = zext i8 %spec.select.2 to i32
  %26 = shl i32 %25, 16
  %27 = or i32 %24, %26
  %28 = zext i8 %20 to i32
  %29 = shl i32 %28, 24
  %30 = or i32 %27, %29
  store i32 %30, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @llvm.smax.i32(i32, i32) #0

declare i32 @llvm.smin.i32(i32, i32) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }


!0 = !{}
!1 = !{}
