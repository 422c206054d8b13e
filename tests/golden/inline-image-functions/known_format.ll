; A read of a known format is part of the kernel, and so is a query of the same image.
;! shows: fires
;! opt: -p inline-image-functions --remarks inline-image-functions
define spir_kernel void @k(ptr %image, ptr addrspace(1) %out, i32 %x) {
entry:
  %c = call <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i0.12(ptr %image, i32 %x)
  %w = call i32 @_Z15get_image_width14ocl_image1d_ro(ptr %image)
  %c.1 = insertelement <4 x i32> %c, i32 %w, i32 1
  store <4 x i32> %c.1, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i0.12(ptr, i32)

declare i32 @_Z15get_image_width14ocl_image1d_ro(ptr)
; ---- expected
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define spir_kernel void @k(ptr %image, ptr addrspace(1) %out, i32 %x) {
entry:
  %0 = ptrtoint ptr %image to i64
  %1 = inttoptr i64 %0 to ptr addrspace(2)
  %width.i.i1 = getelementptr inbounds nuw i8, ptr addrspace(2) %1, i64 32
  %2 = load i32, ptr addrspace(2) %width.i.i1, align 8, !invariant.load !0, !weft.descriptor !1
  %sub.i.i = add i32 %2, -1
  %cond.i.i = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %cond5.i.i = call i32 @llvm.smin.i32(i32 %cond.i.i, i32 %sub.i.i)
  %3 = load i64, ptr addrspace(2) %1, align 8, !invariant.load !0, !weft.descriptor !1
  %4 = inttoptr i64 %3 to ptr addrspace(1)
  %conv4.i.i = sext i32 %cond5.i.i to i64
  %mul6.i.i = shl nsw i64 %conv4.i.i, 2
  %add.ptr7.i.i = getelementptr inbounds i8, ptr addrspace(1) %4, i64 %mul6.i.i
  %5 = load i32, ptr addrspace(1) %add.ptr7.i.i, align 4
  %vecinit3.i.i = insertelement <4 x i32> <i32 poison, i32 poison, i32 0, i32 1>, i32 %5, i64 0
  %c.1 = insertelement <4 x i32> %vecinit3.i.i, i32 %2, i64 1
  store <4 x i32> %c.1, ptr addrspace(1) %out, align 16
  ret void
}

declare i32 @llvm.smax.i32(i32, i32) #0

declare i32 @llvm.smin.i32(i32, i32) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }


!0 = !{}
!1 = !{}
; passed: inline-image-functions: @k: Inlined: 1 calls of the image function _Z12read_imageui14ocl_image1d_roi.i0.12 inlined, to run in SIMD lanes
; passed: inline-image-functions: @k: Inlined: 1 calls of the image function _Z15get_image_width14ocl_image1d_ro inlined, to run in SIMD lanes
