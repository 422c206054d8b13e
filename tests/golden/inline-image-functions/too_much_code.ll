; The function would be more code than is inlined.
;! shows: refuses
;! opt: -p inline-image-functions --limit images=1 --remarks inline-image-functions
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
; missed: inline-image-functions: @k: TooLarge: 1 calls of the image function _Z12read_imageui14ocl_image1d_roi.i0.12 not inlined: the code would be too long
; missed: inline-image-functions: @k: TooLarge: 1 calls of the image function _Z15get_image_width14ocl_image1d_ro not inlined: the code would be too long
