/* Threads with the smallest stacks that C programs use build programs and run kernels. */
#include <limits.h>
#include <pthread.h>

#include "client.h"

/* The private array is 256 KiB of the stack in lanes. */
static const char *const ARRAYS =
    "__kernel void arrays(__global int *a, int n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int kept[1024];\n"
    "    for (int k = 0; k < 1024; k++) kept[k] = k * (int)i;\n"
    "    for (int k = 0; k < n; k++) kept[(k * 7 + i) & 1023] += kept[(k * 11) & 1023];\n"
    "    int sum = 0;\n"
    "    for (int k = 0; k < 1024; k++) sum += kept[k];\n"
    "    a[i] = sum;\n"
    "}\n";

enum { ITEMS = 256, ROUNDS = 4, GUARD_BYTES = 1 << 20 };

static struct session shared;
static uintptr_t kernel, buffer;
static int32_t expected[ITEMS];

static void run(void) {
    int32_t results[ITEMS];
    size_t global = ITEMS, local = 64;
    CHECK(!clEnqueueNDRangeKernel(shared.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(!clFinish(shared.queue));
    CHECK(!clEnqueueReadBuffer(shared.queue, buffer, CL_TRUE, 0, sizeof results, (uintptr_t)results, 0, NULL, NULL));
    CHECK(!memcmp(results, expected, sizeof results));
}

static void *uses(void *argument) {
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) run();
    return NULL;
}

static void *builds(void *argument) {
    (void)argument;
    struct session s = open_session();
    build(&s);
    for (int i = 0; i < ROUNDS; i++) add_vectors(&s);
    close_session(&s);
    return NULL;
}

static void in_thread(void *(*work)(void *), size_t stack) {
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, stack));
    CHECK(!pthread_attr_setguardsize(&attributes, GUARD_BYTES)); /* which no large frame skips */
    CHECK(!pthread_create(&thread, &attributes, work, NULL));
    CHECK(!pthread_join(thread, NULL));
    CHECK(!pthread_attr_destroy(&attributes));
}

int main(void) {
    int32_t code = 1, n = 100;
    const size_t stacks[] = {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) in_thread(builds, stacks[i]);
    shared = open_session();
    uintptr_t program = clCreateProgramWithSource(shared.context, 1, (const char **)&ARRAYS, NULL, &code);
    CHECK(!clBuildProgram(program, 1, &shared.device, "", 0, 0));
    kernel = clCreateKernel(program, "arrays", &code);
    buffer = clCreateBuffer(shared.context, 0, sizeof expected, 0, &code);
    CHECK(kernel && buffer);
    CHECK(!clSetKernelArg(kernel, 0, sizeof buffer, (uintptr_t)&buffer));
    CHECK(!clSetKernelArg(kernel, 1, sizeof n, (uintptr_t)&n));
    for (int64_t i = 0; i < ITEMS; i++) {
        uint32_t kept[1024], sum = 0;
        for (uint32_t k = 0; k < 1024; k++) kept[k] = k * (uint32_t)i;
        for (uint32_t k = 0; k < (uint32_t)n; k++) kept[(k * 7 + i) & 1023] += kept[(k * 11) & 1023];
        for (uint32_t k = 0; k < 1024; k++) sum += kept[k];
        expected[i] = (int32_t)sum;
    }
    uses(NULL);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) in_thread(uses, stacks[i]);
    puts("ok");
    return 0;
}
