/* A thread whose stack is too small for kernels launches them where no memory is left for a larger stack: each launch
 * works, or clFinish and the blocking read report that it does not. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>

#include "client.h"

static const char *const ONES = "__kernel void ones(__global int *a) { a[get_global_id(0)] = 1; }";

enum { ITEMS = 64, ROUNDS = 50 };

static struct session shared;
static uintptr_t kernel, buffer;

/* Whether the launch worked; `reads`: only the read says so. */
static int run(int reads) {
    int32_t results[ITEMS] = {0}, code = 0;
    size_t global = ITEMS;
    CHECK(!clEnqueueWriteBuffer(shared.queue, buffer, CL_TRUE, 0, sizeof results, (uintptr_t)results, 0, NULL, NULL));
    CHECK(!clEnqueueNDRangeKernel(shared.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    if (!reads) code = clFinish(shared.queue);
    int32_t read = clEnqueueReadBuffer(shared.queue, buffer, CL_TRUE, 0, sizeof results, (uintptr_t)results, 0, NULL, NULL);
    CHECK(code == 0 || code == CL_OUT_OF_RESOURCES);
    CHECK(read == 0 || (reads && read == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
    for (int i = 0; i < ITEMS; i++) CHECK(results[i] == !(code || read));
    return !(code || read);
}

static void *uses(void *argument) {
    struct rlimit limit, none;
    int failed[2] = {0};
    int32_t zero = 0;
    (void)argument;
    /* The C library allocates the variables of the thread at their first use, and ends the process if it cannot. */
    CHECK(!clEnqueueWriteBuffer(shared.queue, buffer, CL_TRUE, 0, sizeof zero, (uintptr_t)&zero, 0, NULL, NULL));
    CHECK(!clFinish(shared.queue));
    CHECK(!getrlimit(RLIMIT_AS, &limit));
    none = limit;
    none.rlim_cur = 1 << 20; /* less than the program has */
    CHECK(!setrlimit(RLIMIT_AS, &none));
    for (int i = 0; i < ROUNDS; i++) failed[i % 2] += !run(i % 2);
    CHECK(!setrlimit(RLIMIT_AS, &limit));
    CHECK(failed[0] && failed[1]);
    CHECK(run(0) && run(1));
    return NULL;
}

int main(void) {
    int32_t code = 1;
    shared = open_session();
    uintptr_t program = clCreateProgramWithSource(shared.context, 1, (const char **)&ONES, NULL, &code);
    CHECK(!clBuildProgram(program, 1, &shared.device, "", 0, 0));
    kernel = clCreateKernel(program, "ones", &code);
    buffer = clCreateBuffer(shared.context, 0, sizeof(int32_t) * ITEMS, 0, &code);
    CHECK(kernel && buffer && !clSetKernelArg(kernel, 0, sizeof buffer, (uintptr_t)&buffer));
    CHECK(run(0) && run(1));
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 128 << 10));
    CHECK(!pthread_create(&thread, &attributes, uses, NULL));
    CHECK(!pthread_join(thread, NULL));
    puts("ok");
    return 0;
}
