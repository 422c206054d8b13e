; One of two images, which the launch decides: the function for any format, with the known sampler.
;! shows: fires
;! opt: -p specialize-image-formats --known 0x10b5,0x10d2:0x10b5,0x10d2:20:::
define spir_kernel void @k(ptr %image, ptr %other, ptr %sampler, ptr addrspace(1) %out, <2 x i32> %at, i1 %second) {
entry:
  %one = select i1 %second, ptr %other, ptr %image
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr %one, ptr %sampler, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr, ptr, <2 x i32>)
; ---- expected

define spir_kernel void @k(ptr %image, ptr %other, ptr %sampler, ptr addrspace(1) %out, <2 x i32> %at, i1 %second) {
entry:
  %one = select i1 %second, ptr %other, ptr %image
  %c = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.s20(ptr %one, ptr %sampler, <2 x i32> %at)
  store <4 x float> %c, ptr addrspace(1) %out, align 16
  ret void
}

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr, ptr, <2 x i32>)

declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.s20(ptr, ptr, <2 x i32>)
