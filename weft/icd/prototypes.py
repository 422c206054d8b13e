"""The functions of the ICD dispatch table in its order (OpenCL 3.1, cl_khr_icd), then those of extensions.

These tables define the order of the dispatch structure, the declarations of the Python entries, and the C
functions that replace them before Python runs, after it has shut down, and for entries that Weft does not
implement. A line is a C prototype; `-` before a name marks a slot that is used only on Windows and NULL here.
"""

from functools import cache

from weft.dataclasses import dataclass

_WAIT = "cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event"
_INFO = "size_t param_value_size, void *param_value, size_t *param_value_size_ret"
_DEVICES = "cl_uint num_devices, const cl_device_id *device_list"
_CREATE = "cl_context context, cl_mem_flags flags"
_OBJECTS = "cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects"
_GL_TEXTURE = f"{_CREATE}, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret"
_RECT = (
    "const size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,"
    " size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch"
)
_ALLOCATION = "void *host_ptr, cl_int *errcode_ret"

TABLE = f"""
cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, {_INFO})
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, {_INFO})
cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices, callback pfn_notify, void *user_data, cl_int *errcode_ret)
cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type, callback pfn_notify, void *user_data, cl_int *errcode_ret)
cl_int clRetainContext(cl_context context)
cl_int clReleaseContext(cl_context context)
cl_int clGetContextInfo(cl_context context, cl_context_info param_name, {_INFO})
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret)
cl_int clRetainCommandQueue(cl_command_queue command_queue)
cl_int clReleaseCommandQueue(cl_command_queue command_queue)
cl_int clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name, {_INFO})
cl_int clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties, cl_bool enable, cl_command_queue_properties *old_properties)
cl_mem clCreateBuffer({_CREATE}, size_t size, {_ALLOCATION})
cl_mem clCreateImage2D({_CREATE}, const cl_image_format *image_format, size_t image_width, size_t image_height, size_t image_row_pitch, {_ALLOCATION})
cl_mem clCreateImage3D({_CREATE}, const cl_image_format *image_format, size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch, {_ALLOCATION})
cl_int clRetainMemObject(cl_mem memobj)
cl_int clReleaseMemObject(cl_mem memobj)
cl_int clGetSupportedImageFormats({_CREATE}, cl_mem_object_type image_type, cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
cl_int clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, {_INFO})
cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, {_INFO})
cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode, cl_filter_mode filter_mode, cl_int *errcode_ret)
cl_int clRetainSampler(cl_sampler sampler)
cl_int clReleaseSampler(cl_sampler sampler)
cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, {_INFO})
cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *errcode_ret)
cl_program clCreateProgramWithBinary(cl_context context, {_DEVICES}, const size_t *lengths, const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret)
cl_int clRetainProgram(cl_program program)
cl_int clReleaseProgram(cl_program program)
cl_int clBuildProgram(cl_program program, {_DEVICES}, const char *options, callback pfn_notify, void *user_data)
cl_int clUnloadCompiler(void)
cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, {_INFO})
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name, {_INFO})
cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret)
cl_int clRetainKernel(cl_kernel kernel)
cl_int clReleaseKernel(cl_kernel kernel)
cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, {_INFO})
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name, {_INFO})
cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list)
cl_int clGetEventInfo(cl_event event, cl_event_info param_name, {_INFO})
cl_int clRetainEvent(cl_event event)
cl_int clReleaseEvent(cl_event event)
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, {_INFO})
cl_int clFlush(cl_command_queue command_queue)
cl_int clFinish(cl_command_queue command_queue)
cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset, size_t size, void *ptr, {_WAIT})
cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset, size_t size, const void *ptr, {_WAIT})
cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t dst_offset, size_t size, {_WAIT})
cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read, const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, {_WAIT})
cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write, const size_t *origin, const size_t *region, size_t input_row_pitch, size_t input_slice_pitch, const void *ptr, {_WAIT})
cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image, const size_t *src_origin, const size_t *dst_origin, const size_t *region, {_WAIT})
cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin, const size_t *region, size_t dst_offset, {_WAIT})
cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image, size_t src_offset, const size_t *dst_origin, const size_t *region, {_WAIT})
void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags, size_t offset, size_t size, {_WAIT}, cl_int *errcode_ret)
void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags, const size_t *origin, const size_t *region, size_t *image_row_pitch, size_t *image_slice_pitch, {_WAIT}, cl_int *errcode_ret)
cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr, {_WAIT})
cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size, {_WAIT})
cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel, {_WAIT})
cl_int clEnqueueNativeKernel(cl_command_queue command_queue, callback user_func, void *args, size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc, {_WAIT})
cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events, const cl_event *event_list)
cl_int clEnqueueBarrier(cl_command_queue command_queue)
void *clGetExtensionFunctionAddress(const char *function_name)
cl_mem clCreateFromGLBuffer({_CREATE}, cl_GLuint bufobj, cl_int *errcode_ret)
cl_mem clCreateFromGLTexture2D({_GL_TEXTURE})
cl_mem clCreateFromGLTexture3D({_GL_TEXTURE})
cl_mem clCreateFromGLRenderbuffer({_CREATE}, cl_GLuint renderbuffer, cl_int *errcode_ret)
cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name)
cl_int clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, {_INFO})
cl_int clEnqueueAcquireGLObjects({_OBJECTS}, {_WAIT})
cl_int clEnqueueReleaseGLObjects({_OBJECTS}, {_WAIT})
cl_int clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name, {_INFO})
- clGetDeviceIDsFromD3D10KHR
- clCreateFromD3D10BufferKHR
- clCreateFromD3D10Texture2DKHR
- clCreateFromD3D10Texture3DKHR
- clEnqueueAcquireD3D10ObjectsKHR
- clEnqueueReleaseD3D10ObjectsKHR
cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type, callback pfn_notify, void *user_data)
cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type, const void *buffer_create_info, cl_int *errcode_ret)
cl_int clSetMemObjectDestructorCallback(cl_mem memobj, callback pfn_notify, void *user_data)
cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
cl_int clSetUserEventStatus(cl_event event, cl_int execution_status)
cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, {_RECT}, void *ptr, {_WAIT})
cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, {_RECT}, const void *ptr, {_WAIT})
cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin, const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, {_WAIT})
cl_int clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties, cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
cl_int clRetainDeviceEXT(cl_device_id device)
cl_int clReleaseDeviceEXT(cl_device_id device)
cl_event clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties, cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
cl_int clRetainDevice(cl_device_id device)
cl_int clReleaseDevice(cl_device_id device)
cl_mem clCreateImage({_CREATE}, const cl_image_format *image_format, const cl_image_desc *image_desc, {_ALLOCATION})
cl_program clCreateProgramWithBuiltInKernels(cl_context context, {_DEVICES}, const char *kernel_names, cl_int *errcode_ret)
cl_int clCompileProgram(cl_program program, {_DEVICES}, const char *options, cl_uint num_input_headers, const cl_program *input_headers, const char **header_include_names, callback pfn_notify, void *user_data)
cl_program clLinkProgram(cl_context context, {_DEVICES}, const char *options, cl_uint num_input_programs, const cl_program *input_programs, callback pfn_notify, void *user_data, cl_int *errcode_ret)
cl_int clUnloadPlatformCompiler(cl_platform_id platform)
cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name, {_INFO})
cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size, {_WAIT})
cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color, const size_t *origin, const size_t *region, {_WAIT})
cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects, cl_mem_migration_flags flags, {_WAIT})
cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, {_WAIT})
cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, {_WAIT})
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *function_name)
cl_mem clCreateFromGLTexture({_GL_TEXTURE})
- clGetDeviceIDsFromD3D11KHR
- clCreateFromD3D11BufferKHR
- clCreateFromD3D11Texture2DKHR
- clCreateFromD3D11Texture3DKHR
- clCreateFromDX9MediaSurfaceKHR
- clEnqueueAcquireD3D11ObjectsKHR
- clEnqueueReleaseD3D11ObjectsKHR
- clGetDeviceIDsFromDX9MediaAdapterKHR
- clEnqueueAcquireDX9MediaSurfacesKHR
- clEnqueueReleaseDX9MediaSurfacesKHR
cl_mem clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags, const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
cl_int clEnqueueAcquireEGLObjectsKHR({_OBJECTS}, {_WAIT})
cl_int clEnqueueReleaseEGLObjectsKHR({_OBJECTS}, {_WAIT})
cl_event clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret)
cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret)
cl_mem clCreatePipe({_CREATE}, cl_uint pipe_packet_size, cl_uint pipe_max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, {_INFO})
void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
void clSVMFree(cl_context context, void *svm_pointer)
cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void **svm_pointers, callback pfn_free_func, void *user_data, {_WAIT})
cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr, const void *src_ptr, size_t size, {_WAIT})
cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size, {_WAIT})
cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void *svm_ptr, size_t size, {_WAIT})
cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, {_WAIT})
cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *sampler_properties, cl_int *errcode_ret)
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size, const void *param_value)
cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_value_size, const void *input_value, {_INFO})
cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers, const size_t *sizes, cl_mem_migration_flags flags, {_WAIT})
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp)
cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_value_size, const void *input_value, {_INFO})
cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue)
cl_int clSetProgramReleaseCallback(cl_program program, callback pfn_notify, void *user_data)
cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size, const void *spec_value)
cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size, {_ALLOCATION})
cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, const cl_image_format *image_format, const cl_image_desc *image_desc, {_ALLOCATION})
cl_int clSetContextDestructorCallback(cl_context context, callback pfn_notify, void *user_data)
cl_int clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset, const size_t *global_work_size, size_t *suggested_local_work_size)
"""  # noqa: E501

# Functions of extensions that loaders do not know: clGetExtensionFunctionAddress returns them. Their slots
# are specific to Weft and follow those of the dispatch table.
_RECORD = (
    "cl_command_buffer_khr command_buffer, cl_command_queue command_queue, "
    "const cl_command_properties_khr *properties"
)
_SYNC = (
    "cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list, "
    "cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle"
)
EXTENSION_TABLE = f"""
void *clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment, cl_int *errcode_ret)
void *clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment, cl_int *errcode_ret)
void *clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment, cl_int *errcode_ret)
cl_int clMemFreeINTEL(cl_context context, void *ptr)
cl_int clMemBlockingFreeINTEL(cl_context context, void *ptr)
cl_int clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_mem_info_intel param_name, {_INFO})
cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr, const void *pattern, size_t pattern_size, size_t size, {_WAIT})
cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr, const void *src_ptr, size_t size, {_WAIT})
cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *ptr, size_t size, cl_mem_migration_flags flags, {_WAIT})
cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *ptr, size_t size, cl_mem_advice_intel advice, {_WAIT})
cl_command_buffer_khr clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues, const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
cl_int clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer)
cl_int clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer)
cl_int clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer)
cl_int clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues, cl_command_buffer_khr command_buffer, {_WAIT})
cl_int clCommandBarrierWithWaitListKHR({_RECORD}, {_SYNC})
cl_int clCommandCopyBufferKHR({_RECORD}, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t dst_offset, size_t size, {_SYNC})
cl_int clCommandCopyBufferRectKHR({_RECORD}, cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin, const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, {_SYNC})
cl_int clCommandCopyBufferToImageKHR({_RECORD}, cl_mem src_buffer, cl_mem dst_image, size_t src_offset, const size_t *dst_origin, const size_t *region, {_SYNC})
cl_int clCommandCopyImageKHR({_RECORD}, cl_mem src_image, cl_mem dst_image, const size_t *src_origin, const size_t *dst_origin, const size_t *region, {_SYNC})
cl_int clCommandCopyImageToBufferKHR({_RECORD}, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin, const size_t *region, size_t dst_offset, {_SYNC})
cl_int clCommandFillBufferKHR({_RECORD}, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size, {_SYNC})
cl_int clCommandFillImageKHR({_RECORD}, cl_mem image, const void *fill_color, const size_t *origin, const size_t *region, {_SYNC})
cl_int clCommandSVMMemcpyKHR({_RECORD}, void *dst_ptr, const void *src_ptr, size_t size, {_SYNC})
cl_int clCommandSVMMemFillKHR({_RECORD}, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size, {_SYNC})
cl_int clCommandNDRangeKernelKHR({_RECORD}, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size, {_SYNC})
cl_int clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name, {_INFO})
cl_int clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer, cl_uint num_configs, const cl_command_buffer_update_type_khr *config_types, const void **configs)
cl_int clGetMutableCommandInfoKHR(cl_mutable_command_khr command, cl_mutable_command_info_khr param_name, {_INFO})
"""  # noqa: E501

# Implemented in C in shim.c: they need no Python.
NATIVE = {
    "clGetPlatformIDs",
    "clGetPlatformInfo",
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddressForPlatform",
}

# Implemented in C in shim.c, with calls of Python where necessary: loaders call them while they hold locks.
FRONTED = {"clGetDeviceIDs"}

# Entries that may use LLVM, which is shut down before the process ends.
NEEDS_COMPILER = (
    "clBuildProgram",
    "clCompileProgram",
    "clLinkProgram",
    "clCreateKernel",
    "clCreateKernelsInProgram",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clCommandNDRangeKernelKHR",
    "clEnqueueCommandBufferKHR",
    "clUpdateMutableCommandsKHR",
)

_HANDLES = {
    "cl_platform_id",
    "cl_device_id",
    "cl_context",
    "cl_command_queue",
    "cl_mem",
    "cl_sampler",
    "cl_program",
    "cl_kernel",
    "cl_event",
    "cl_command_buffer_khr",
    "cl_mutable_command_khr",
}

# Types in Python entries: handles, opaque pointers and callbacks are addresses (uintptr_t); enumerations have
# 32 bits, bit fields and property values 64.
_SIXTY_FOUR_BITS = {
    "cl_ulong",
    "cl_device_type",
    "cl_command_queue_properties",
    "cl_mem_flags",
    "cl_svm_mem_flags",
    "cl_map_flags",
    "cl_mem_migration_flags",
    "cl_queue_properties",
    "cl_mem_properties",
    "cl_mem_properties_intel",
    "cl_sampler_properties",
    "cl_command_buffer_properties_khr",
    "cl_command_properties_khr",
    "cl_device_partition_property_ext",
}
_ADDRESS_WIDE = {
    "cl_context_properties",
    "cl_device_partition_property",
    "cl_egl_image_properties_khr",
    "cl_pipe_properties",
}
_ADDRESSES = {"callback", "cl_GLsync", "CLeglDisplayKHR", "CLeglImageKHR", "CLeglSyncKHR"} | _HANDLES
_STRUCTURES = {"cl_image_format", "cl_image_desc"}


def _plain_type(name: str) -> str:
    """Return the C type of fixed width that OpenCL's type `name` has on every 64-bit Linux."""
    if name in _ADDRESSES:
        return "uintptr_t"
    if name in _SIXTY_FOUR_BITS:
        return "uint64_t"
    if name in _ADDRESS_WIDE:
        return "intptr_t"
    if name in _STRUCTURES or name in ("char", "unsigned char", "size_t", "void"):
        return {"unsigned char": "uint8_t"}.get(name, "void" if name in _STRUCTURES else name)
    if name in ("cl_int", "cl_GLint"):
        return "int32_t"
    if not name.startswith("cl_"):
        raise ValueError(f"unknown type {name}")
    return "uint32_t"


@dataclass(frozen=True)
class Parameter:
    """One parameter: its OpenCL type in the spelling of the specification, and its plain C type."""

    name: str
    type: str
    c_type: str


@dataclass(frozen=True)
class Prototype:
    """One slot of the dispatch table; `returns` is empty for a slot that stays NULL."""

    index: int
    name: str
    returns: str = ""
    parameters: tuple[Parameter, ...] = ()

    @property
    def c_returns(self) -> str:
        """The plain C type of the result."""
        return "uintptr_t" if self.returns.endswith("*") else _plain_type(self.returns)

    @property
    def reports_through_pointer(self) -> bool:
        """Whether the error code is returned by a final parameter `errcode_ret`."""
        return bool(self.parameters) and self.parameters[-1].name == "errcode_ret"

    def declaration(self, name: str) -> str:
        """Return the C declarator of a function `name` with this signature."""
        parameters = ", ".join(f"{p.c_type} {p.name}" for p in self.parameters)
        return f"{self.c_returns} {name}({parameters or 'void'})"


def _split(text: str) -> tuple[str, str]:
    """Split a declaration such as `const size_t *region` into type, including stars, and name."""
    position = max(text.rindex(" "), text.rfind("*")) + 1
    return text[:position].strip(), text[position:]


def _parameter(text: str) -> Parameter:
    spelled, name = _split(text)
    base = spelled.replace("const ", "").rstrip("* ")
    stars = spelled.count("*")
    if base == "void" and stars:
        stars -= 1
        base = "callback"  # an opaque pointer is passed as an address, like a callback
    c_type = _plain_type(base) + " *" * bool(stars) + "*" * (stars - 1)
    if spelled.startswith("const ") and stars:
        c_type = f"const {c_type}"
    return Parameter(name, spelled, c_type)


def _prototype(index: int, line: str) -> Prototype:
    if line.startswith("-"):
        return Prototype(index, line[1:].strip())
    head, _, tail = line.partition("(")
    returns, name = _split(head)
    inner = tail.rstrip(")")
    parameters = () if inner == "void" else tuple(_parameter(p.strip()) for p in inner.split(","))
    return Prototype(index, name, returns, parameters)


@cache
def prototypes() -> tuple[Prototype, ...]:
    """Return all slots in order: those of the dispatch table that loaders know, then those of extensions."""
    lines = (TABLE.strip() + EXTENSION_TABLE.rstrip()).splitlines()
    return tuple(_prototype(index, line) for index, line in enumerate(lines))


EXTENSIONS_START = len(TABLE.strip().splitlines())
"""The index of the first slot that loaders do not know."""


@cache
def python_prototypes() -> tuple[Prototype, ...]:
    """Return the entries that can be implemented in Python."""
    return tuple(p for p in prototypes() if p.returns and p.name not in NATIVE)
