; Nothing is known of the image: the general function stays.
;! shows: leaves alone
;! opt: -p specialize-image-formats
define spir_kernel void @k(ptr %image, ptr %sampler, ptr addrspace(1) %out, <2 x i32> %at) {
entry:
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr %image, ptr %sampler, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr, ptr, <2 x i32>)
; ---- expected

define spir_kernel void @k(ptr %image, ptr %sampler, ptr addrspace(1) %out, <2 x i32> %at) {
entry:
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr %image, ptr %sampler, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr, ptr, <2 x i32>)
