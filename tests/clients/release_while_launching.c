/* One thread releases a buffer while another launches a kernel with it. Either the launch comes first, and the buffer
 * lives until it has ended, or it fails. */
#include <pthread.h>
#include <stdatomic.h>

#include "client.h"

static const char *const FILL =
    "__kernel void fill(__global int *a) { size_t i = get_global_id(0); a[i] = a[i] / 3 + (int)i; }\n";

enum { ITEMS = 256 << 10, ROUNDS = 500, INVALID_KERNEL_ARGS = -52 };

static _Atomic(uintptr_t) offered;
static _Atomic int done;

static void *releases(void *argument) {
    (void)argument;
    unsigned turn = 0;
    while (!atomic_load(&done)) {
        uintptr_t buffer = atomic_exchange(&offered, 0);
        if (!buffer) continue;
        for (volatile unsigned i = turn++ % 64 * 40; i; i--) {}
        CHECK(!clReleaseMemObject(buffer));
    }
    return NULL;
}

int main(void) {
    struct session s = open_session();
    int32_t code = 1;
    uintptr_t program = clCreateProgramWithSource(s.context, 1, (const char **)&FILL, NULL, &code);
    CHECK(!clBuildProgram(program, 1, &s.device, "", 0, 0));
    uintptr_t kernel = clCreateKernel(program, "fill", &code);
    CHECK(kernel);
    size_t global = ITEMS;
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, releases, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        uintptr_t buffer = clCreateBuffer(s.context, 0, ITEMS * sizeof(int), 0, &code);
        CHECK(buffer);
        CHECK(!clSetKernelArg(kernel, 0, sizeof buffer, (uintptr_t)&buffer));
        atomic_store(&offered, buffer);
        code = clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
        CHECK(!code || code == INVALID_KERNEL_ARGS);
        if (i % 4 == 0) CHECK(!clFinish(s.queue));
        while (atomic_load(&offered)) {}
    }
    CHECK(!clFinish(s.queue));
    atomic_store(&done, 1);
    CHECK(!pthread_join(thread, NULL));
    puts("ok");
    return 0;
}
