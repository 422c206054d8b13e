/* A program with a Python of its own, which ends before the program does.

   argv: libpython, interpreter of the environment. Weft must use the Python that runs; after Py_Finalize
   every call must still come back: what queries, waits and releases succeeds, what begins something new is refused. */
#include <dlfcn.h>
#include <wchar.h>

#include "client.h"

struct left {
    uintptr_t buffer, part, event, unmet, user, sampler, image;
};

#define QUERY(function, object, name, type) \
    ({ type value = 0; size_t got = 0; \
       CHECK(!function(object, name, sizeof value, (uintptr_t)&value, &got) && got == sizeof value); value; })

static void query(const struct session *s, const struct left *left) {
    char text[256];
    size_t size = 0;
    uintptr_t device = 0;
    uint32_t count = 0;
    CHECK(!clGetPlatformInfo(s->platform, CL_PLATFORM_NAME, sizeof text, (uintptr_t)text, NULL));
    CHECK(!clGetDeviceIDs(s->platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) && device == s->device && count == 1);
    CHECK(clGetDeviceIDs(s->platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count) == CL_DEVICE_NOT_FOUND);
    CHECK(!clGetDeviceInfo(s->device, CL_DEVICE_NAME, sizeof text, (uintptr_t)text, &size) && size == strlen(text) + 1);
    CHECK(clGetDeviceInfo(s->device, CL_DEVICE_NAME, 1, (uintptr_t)text, &size) == CL_INVALID_VALUE);
    CHECK(clGetDeviceInfo(s->device, 0x7777, sizeof text, (uintptr_t)text, &size) == CL_INVALID_VALUE);
    CHECK(clGetDeviceInfo(s->queue, CL_DEVICE_NAME, sizeof text, (uintptr_t)text, &size) == CL_INVALID_DEVICE);
    CHECK(QUERY(clGetContextInfo, s->context, CL_CONTEXT_NUM_DEVICES, uint32_t) == 1);
    CHECK(!clGetSupportedImageFormats(s->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count) && count > 10);
    CHECK(!clGetSupportedImageFormats(s->context, 0, CL_MEM_OBJECT_IMAGE2D, 2, text, NULL));
    CHECK(QUERY(clGetCommandQueueInfo, s->queue, CL_QUEUE_DEVICE, uintptr_t) == s->device);
    CHECK(QUERY(clGetMemObjectInfo, left->buffer, CL_MEM_SIZE, size_t) == 4096);
    CHECK(QUERY(clGetMemObjectInfo, left->part, CL_MEM_ASSOCIATED_MEMOBJECT, uintptr_t) == left->buffer);
    CHECK(QUERY(clGetImageInfo, left->image, CL_IMAGE_WIDTH, size_t) == 16);
    CHECK(QUERY(clGetSamplerInfo, left->sampler, CL_SAMPLER_NORMALIZED_COORDS, uint32_t) == 1);
    CHECK(!clGetProgramInfo(s->program, CL_PROGRAM_SOURCE, sizeof text, (uintptr_t)text, NULL) && !strcmp(text, SOURCE));
    CHECK(!clGetProgramBuildInfo(s->program, s->device, CL_PROGRAM_BUILD_STATUS, 4, (uintptr_t)&count, NULL) && !count);
    CHECK(!clGetKernelInfo(s->kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, (uintptr_t)text, NULL));
    CHECK(!strcmp(text, "add"));
    CHECK(!clGetKernelWorkGroupInfo(s->kernel, 0, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, (uintptr_t)&size, NULL) && size);
    CHECK(QUERY(clGetEventInfo, left->event, CL_EVENT_COMMAND_EXECUTION_STATUS, int32_t) == CL_COMPLETE);
    CHECK(QUERY(clGetEventInfo, left->unmet, CL_EVENT_COMMAND_EXECUTION_STATUS, int32_t) == CL_COMPLETE);
    CHECK(QUERY(clGetEventInfo, left->unmet, CL_EVENT_COMMAND_QUEUE, uintptr_t) == s->queue);
    CHECK(QUERY(clGetEventInfo, left->user, CL_EVENT_COMMAND_EXECUTION_STATUS, int32_t) < 0);
    CHECK(!clGetHostTimer(s->device, (uint64_t *)&size) && size);
}

static struct left leave(struct session *s) {
    struct left left = {0};
    int32_t code = 1;
    const uint32_t format[] = {CL_R, CL_UNSIGNED_INT8}, zero = 0;
    const size_t region[] = {0, 128}, global = COUNT;
    uint64_t shape[9] = {CL_MEM_OBJECT_IMAGE2D, 16, 16};
    left.buffer = clCreateBuffer(s->context, 0, 4096, 0, &code);
    left.part = clCreateSubBuffer(left.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, (uintptr_t)region, &code);
    left.sampler = clCreateSampler(s->context, 1, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    left.image = clCreateImage(s->context, 0, format, shape, 0, &code);
    left.user = clCreateUserEvent(s->context, &code);
    CHECK(left.part && left.sampler && left.image && left.user);
    CHECK(!clEnqueueFillBuffer(s->queue, left.buffer, (uintptr_t)&zero, 4, 0, 4096, 0, NULL, &left.event));
    for (uint32_t i = 0; i < 3; i++) CHECK(!clSetKernelArg(s->kernel, i, sizeof left.buffer, (uintptr_t)&left.buffer));
    for (int i = 0; i < 200; i++) { /* at last by the way that does not lead through Python */
        if (left.unmet) CHECK(!clReleaseEvent(left.unmet));
        CHECK(!clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &global, NULL, 0, NULL, &left.unmet));
        CHECK(!clFinish(s->queue));
    }
    return left;
}

static int freed;

static void free_memory(uintptr_t queue, uint32_t count, uintptr_t *pointers, uintptr_t data) {
    (void)queue;
    freed = count == 1 && pointers[0] && data == 7;
}

static void finish(struct session *s, struct left *left, uintptr_t memory) {
    int32_t code = 0;
    size_t global = COUNT;
    float values[4];
    uintptr_t event = 0;
    CHECK(!clFlush(s->queue) && !clFinish(s->queue) && !clWaitForEvents(1, &left->user));
    CHECK(!clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &event) && event && !clWaitForEvents(1, &event));
    CHECK(QUERY(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, int32_t) == CL_COMPLETE);
    CHECK(!clReleaseEvent(event));
    CHECK(!clEnqueueSVMFree(s->queue, 1, &memory, (uintptr_t)free_memory, 7, 0, NULL, &event) && freed);
    clSVMFree(s->context, memory);
    CHECK(!clSetUserEventStatus(left->user, CL_COMPLETE));
    CHECK(!clCreateBuffer(s->context, 0, 64, 0, &code) && code == CL_OUT_OF_RESOURCES);
    CHECK(clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &global, NULL, 0, NULL, &event) == CL_OUT_OF_RESOURCES);
    CHECK(clEnqueueReadBuffer(s->queue, left->buffer, CL_TRUE, 0, 16, (uintptr_t)values, 0, NULL, NULL) < 0);
    CHECK(!clRetainMemObject(left->buffer));
    CHECK(QUERY(clGetMemObjectInfo, left->buffer, CL_MEM_REFERENCE_COUNT, uint32_t) == 2);
    CHECK(!clReleaseMemObject(left->buffer));
    CHECK(QUERY(clGetMemObjectInfo, left->buffer, CL_MEM_REFERENCE_COUNT, uint32_t) == 1);
    CHECK(!clReleaseMemObject(left->part) && !clReleaseMemObject(left->image) && !clReleaseMemObject(left->buffer));
    CHECK(!clReleaseSampler(left->sampler) && !clReleaseEvent(left->user));
    CHECK(!clReleaseEvent(left->event) && !clReleaseEvent(left->unmet));
    close_session(s);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    void *python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    CHECK(python);
    wchar_t *(*decode)(const char *, size_t *) = dlsym(python, "Py_DecodeLocale");
    void (*set_program)(const wchar_t *) = dlsym(python, "Py_SetProgramName");
    void (*initialize)(int) = dlsym(python, "Py_InitializeEx");
    int (*finalize)(void) = dlsym(python, "Py_FinalizeEx");
    set_program(decode(argv[2], NULL));
    initialize(0);
    struct session s = open_session();
    build(&s);
    add_vectors(&s);
    struct left left = leave(&s);
    uintptr_t memory = clSVMAlloc(s.context, 0, 64, 0);
    CHECK(!finalize());
    query(&s, &left);
    finish(&s, &left, memory);
    query(&s, &left);
    printf("ok\n");
    return 0;
}
