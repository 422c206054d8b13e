/* A static object's destructor finishes the queue: what was enqueued is done then, though exit() began long ago. */
#include "client.h"

static const char *const LONG_SOURCE =
    "__kernel void spin(__global int *a, int n)\n"
    "{ int x = 1; for (int i = 0; i < n; i++) x = x * 1664525 + 1013904223; a[get_global_id(0)] = x | 1; }\n";

static struct session s;
static uintptr_t buffer;
static int values[COUNT];

__attribute__((destructor)) static void destroy(void) {
    CHECK(!clFinish(s.queue));
    CHECK(!clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, sizeof values, (uintptr_t)values, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++) CHECK(values[i] & 1);
    CHECK(!clReleaseMemObject(buffer));
    close_session(&s);
    printf("ok\n");
    fflush(stdout);
}

int main(void) {
    int32_t code = 1, steps = 200000;
    const char *source = LONG_SOURCE;
    s = open_session();
    s.program = clCreateProgramWithSource(s.context, 1, &source, NULL, &code);
    CHECK(!clBuildProgram(s.program, 0, NULL, "", 0, 0));
    s.kernel = clCreateKernel(s.program, "spin", &code);
    buffer = clCreateBuffer(s.context, 0, sizeof values, 0, &code);
    CHECK(!clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, sizeof values, (uintptr_t)values, 0, NULL, NULL));
    CHECK(!clSetKernelArg(s.kernel, 0, sizeof buffer, (uintptr_t)&buffer));
    CHECK(!clSetKernelArg(s.kernel, 1, sizeof steps, (uintptr_t)&steps));
    size_t global = COUNT;
    for (int i = 0; i < 5; i++)
        CHECK(!clEnqueueNDRangeKernel(s.queue, s.kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(!clFlush(s.queue));
    return 0;
}
