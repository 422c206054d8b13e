/* Leaves with a kernel running and commands waiting for an event that is never set. */
#include "client.h"

static const char *const LONG_SOURCE =
    "__kernel void spin(__global int *a, int n)\n"
    "{ int x = a[0]; for (int i = 0; i < n; i++) x = x * 1664525 + 1013904223; a[get_global_id(0)] = x; }\n";

int main(void) {
    int32_t code = 1;
    struct session s = open_session();
    const char *source = LONG_SOURCE;
    s.program = clCreateProgramWithSource(s.context, 1, &source, NULL, &code);
    CHECK(!clBuildProgram(s.program, 0, NULL, "", 0, 0));
    s.kernel = clCreateKernel(s.program, "spin", &code);
    uintptr_t buffer = clCreateBuffer(s.context, 0, 4 * COUNT, 0, &code), never, event = 0;
    int32_t steps = 100000000;
    CHECK(!clSetKernelArg(s.kernel, 0, sizeof buffer, (uintptr_t)&buffer));
    CHECK(!clSetKernelArg(s.kernel, 1, sizeof steps, (uintptr_t)&steps));
    size_t global = COUNT;
    CHECK(!clEnqueueNDRangeKernel(s.queue, s.kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    never = clCreateUserEvent(s.context, &code);
    CHECK(!code);
    CHECK(!clEnqueueNDRangeKernel(s.queue, s.kernel, 1, NULL, &global, NULL, 1, &never, NULL));
    CHECK(!clFlush(s.queue));
    printf("ok\n");
    return 0;
}
