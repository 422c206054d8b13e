; The launch decides which of two images is read: the function for any format stays.
;! shows: refuses
;! opt: -p specialize-image-formats --known 0x10b5,0x10d2:0x10b5,0x10d2::: --remarks specialize-image-formats
define spir_kernel void @k(ptr %image, ptr %other, ptr addrspace(1) %out, <2 x i32> %at, i1 %second) {
entry:
  %one = select i1 %second, ptr %other, ptr %image
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr %one, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr, <2 x i32>)
; ---- expected

define spir_kernel void @k(ptr %image, ptr %other, ptr addrspace(1) %out, <2 x i32> %at, i1 %second) {
entry:
  %one = select i1 %second, ptr %other, ptr %image
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr %one, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr, <2 x i32>)
; missed: specialize-image-formats: @k: OneOfSeveral: the image is not a single argument: generic function called
