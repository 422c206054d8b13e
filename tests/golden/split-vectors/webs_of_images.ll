; Components of a pixel are mixed: it is loaded as one integer and unpacked by shifts. Vectors of the buffer are not.
;! shows: fires
;! opt: -p inline-image-functions,split-vectors --remarks split-vectors
define spir_kernel void @k(ptr %image, ptr addrspace(1) %a, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  %c = call <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i5.10(ptr %image, i32 %x)
  %red = extractelement <4 x i32> %c, i64 0
  %green = extractelement <4 x i32> %c, i64 1
  %sum = add i32 %red, %green
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %id
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %w = fadd <4 x float> %v, %v
  store <4 x float> %w, ptr addrspace(1) %p, align 16
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare <4 x i32> @_Z12read_imageui14ocl_image1d_roi.i5.10(ptr, i32)
; ---- expected
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define spir_kernel void @k(ptr %image, ptr addrspace(1) %a, ptr addrspace(1) %out) {
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
  %conv.i.i.0 = zext i8 %6 to i32
  %conv.i.i.1 = zext i8 %8 to i32
  %sum = add nuw nsw i32 %conv.i.i.0, %conv.i.i.1
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %id
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %w = fadd <4 x float> %v, %v
  store <4 x float> %w, ptr addrspace(1) %p, align 16
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

declare i64 @_Z13get_global_idj(i32)

declare i32 @llvm.smax.i32(i32, i32) #0

declare i32 @llvm.smin.i32(i32, i32) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }


!0 = !{}
!1 = !{}
; passed: split-vectors: @k: Split: vectors are split into components, each a scalar of its own: components are mixed more often (2) than vectors are loaded and stored (1)
