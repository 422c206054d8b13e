; An image of CL_RGBA and CL_UNORM_INT8 with a known sampler is read by the function for both.
;! shows: fires
;! opt: -p specialize-image-formats --known 0x10b5,0x10d2:20: --remarks specialize-image-formats
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
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.i4277.4306.s20(ptr %image, ptr %sampler, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr, ptr, <2 x i32>)

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.i4277.4306.s20(ptr, ptr, <2 x i32>)
; passed: specialize-image-formats: @k: Specialized: specialized for the image format or sampler: _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.i4277.4306.s20
