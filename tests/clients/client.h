/* What the client programs share: checks, and a vector addition from platform to result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1); \
        } \
    } while (0)

void _exit(int status);

static const char *const SOURCE =
    "__kernel void add(__global const float *a, __global const float *b, __global float *c, float k)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + k * b[i]; }\n";

struct session {
    uintptr_t platform, device, context, queue, program, kernel;
};

static inline uintptr_t weft_platform(void) {
    uintptr_t platforms[16];
    uint32_t count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count) == CL_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        char name[64] = "";
        CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, (uintptr_t)name, NULL) == CL_SUCCESS);
        if (!strcmp(name, "Weft")) return platforms[i];
    }
    CHECK(!"the platform is there");
    return 0;
}

static inline uintptr_t first_device(uintptr_t platform) {
    uintptr_t device = 0;
    uint32_t count = 0;
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) == CL_SUCCESS);
    CHECK(device && count >= 1);
    return device;
}

static inline struct session open_session(void) {
    struct session s = {0};
    int32_t code = 1;
    s.platform = weft_platform();
    s.device = first_device(s.platform);
    const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)s.platform, 0};
    s.context = clCreateContext(properties, 1, &s.device, 0, 0, &code);
    CHECK(s.context && code == CL_SUCCESS);
    s.queue = clCreateCommandQueue(s.context, s.device, 0, &code);
    CHECK(s.queue && code == CL_SUCCESS);
    return s;
}

static inline void build(struct session *s) {
    int32_t code = 1;
    const char *source = SOURCE;
    s->program = clCreateProgramWithSource(s->context, 1, &source, NULL, &code);
    CHECK(s->program && code == CL_SUCCESS);
    CHECK(clBuildProgram(s->program, 1, &s->device, "", 0, 0) == CL_SUCCESS);
    s->kernel = clCreateKernel(s->program, "add", &code);
    CHECK(s->kernel && code == CL_SUCCESS);
}

enum { COUNT = 1000 };

static inline void add_vectors(struct session *s) {
    static float a[COUNT], b[COUNT], c[COUNT];
    float factor = 2;
    int32_t code = 1;
    for (int i = 0; i < COUNT; i++) a[i] = (float)i, b[i] = (float)(3 * i), c[i] = -1;
    uintptr_t buffers[3];
    buffers[0] = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, (uintptr_t)a, &code);
    CHECK(buffers[0] && code == CL_SUCCESS);
    buffers[1] = clCreateBuffer(s->context, CL_MEM_READ_ONLY, sizeof b, 0, &code);
    CHECK(buffers[1] && code == CL_SUCCESS);
    buffers[2] = clCreateBuffer(s->context, CL_MEM_WRITE_ONLY, sizeof c, 0, &code);
    CHECK(buffers[2] && code == CL_SUCCESS);
    CHECK(!clEnqueueWriteBuffer(s->queue, buffers[1], CL_TRUE, 0, sizeof b, (uintptr_t)b, 0, NULL, NULL));
    for (uint32_t i = 0; i < 3; i++) CHECK(!clSetKernelArg(s->kernel, i, sizeof buffers[i], (uintptr_t)&buffers[i]));
    CHECK(!clSetKernelArg(s->kernel, 3, sizeof factor, (uintptr_t)&factor));
    size_t global = COUNT;
    uintptr_t event = 0;
    CHECK(!clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    CHECK(!clEnqueueReadBuffer(s->queue, buffers[2], CL_TRUE, 0, sizeof c, (uintptr_t)c, 1, &event, NULL));
    for (int i = 0; i < COUNT; i++) CHECK(c[i] == (float)(7 * i));
    CHECK(!clReleaseEvent(event));
    for (int i = 0; i < 3; i++) CHECK(!clReleaseMemObject(buffers[i]));
}

static inline void close_session(struct session *s) {
    if (s->kernel) CHECK(!clReleaseKernel(s->kernel));
    if (s->program) CHECK(!clReleaseProgram(s->program));
    CHECK(!clReleaseCommandQueue(s->queue));
    CHECK(!clReleaseContext(s->context));
}
