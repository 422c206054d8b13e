/* Measures the cost of host calls; prints a name and a figure per line.
 *
 * The kernel has four arguments, which are all set before each launch. Processor time is that of the calling
 * thread or of the whole process, so that other work on the machine does not count; the best of many rounds.
 * Arguments: the number of rounds, and the megabytes of the large buffers.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *handle;
int32_t clGetPlatformIDs(uint32_t, handle *, uint32_t *);
int32_t clGetDeviceIDs(handle, uint64_t, uint32_t, handle *, uint32_t *);
handle clCreateContext(const intptr_t *, uint32_t, const handle *, void *, void *, int32_t *);
handle clCreateCommandQueue(handle, handle, uint64_t, int32_t *);
handle clCreateProgramWithSource(handle, uint32_t, const char **, const size_t *, int32_t *);
int32_t clBuildProgram(handle, uint32_t, const handle *, const char *, void *, void *);
handle clCreateKernel(handle, const char *, int32_t *);
handle clCreateBuffer(handle, uint64_t, size_t, void *, int32_t *);
int32_t clReleaseMemObject(handle);
int32_t clSetKernelArg(handle, uint32_t, size_t, const void *);
int32_t clEnqueueNDRangeKernel(handle, handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                               const handle *, handle *);
int32_t clEnqueueCopyBuffer(handle, handle, handle, size_t, size_t, size_t, uint32_t, const handle *, handle *);
void *clEnqueueMapBuffer(handle, handle, uint32_t, uint64_t, size_t, size_t, uint32_t, const handle *, handle *,
                         int32_t *);
int32_t clEnqueueUnmapMemObject(handle, handle, void *, uint32_t, const handle *, handle *);
int32_t clFinish(handle);
void *clGetExtensionFunctionAddressForPlatform(handle, const char *);

enum { CPU = 2, READ_WRITE = 1, USE_HOST_PTR = 8, MAP = 3 };
enum { LAUNCHES = 500, ITEMS = 1024 };

static const char *SOURCE = "kernel void advance(global float *a, global const float *b, float k, int n) {"
                            "    int i = get_global_id(0);"
                            "    if (i < n) a[i] = a[i] * 0.5f + k * b[i];"
                            "}";

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static handle context, queue, kernel, a, b;

static void launch(int round) {
    float k = 0.25f * round;
    int n = ITEMS;
    size_t global = ITEMS, local = 64;
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    clSetKernelArg(kernel, 2, sizeof k, &k);
    clSetKernelArg(kernel, 3, sizeof n, &n);
    CHECK(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

static double least(double old, double new) {
    return old == 0 || new < old ? new : old;
}

static void launches(int rounds) {
    double thread = 0, process = 0, wait = 0;
    for (int round = 0; round < rounds; round++) {
        double t = now(CLOCK_THREAD_CPUTIME_ID), p = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < LAUNCHES; i++)
            launch(i);
        thread = least(thread, now(CLOCK_THREAD_CPUTIME_ID) - t);
        clFinish(queue);
        process = least(process, now(CLOCK_PROCESS_CPUTIME_ID) - p);
    }
    for (int round = 0; round < rounds * 20; round++) {
        double t = now(CLOCK_MONOTONIC);
        launch(round);
        clFinish(queue);
        wait = least(wait, now(CLOCK_MONOTONIC) - t);
    }
    printf("enqueue_us %.3f\n", 1e6 * thread / LAUNCHES);
    printf("launch_cpu_us %.3f\n", 1e6 * process / LAUNCHES);
    printf("launch_and_wait_us %.3f\n", 1e6 * wait);
}

/* A hundred launches, enqueued one by one and, if supported, as one command buffer. */
static void replays(handle platform, int rounds) {
    enum { HUNDRED = 100 };
    handle (*create)(uint32_t, const handle *, const uint64_t *, int32_t *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    int32_t (*record)(handle, handle, const uint64_t *, handle, uint32_t, const size_t *, const size_t *, const size_t *,
                      uint32_t, const uint32_t *, uint32_t *, handle *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR");
    int32_t (*finalize)(handle) = clGetExtensionFunctionAddressForPlatform(platform, "clFinalizeCommandBufferKHR");
    int32_t (*replay)(uint32_t, handle *, handle, uint32_t, const handle *, handle *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
    if (!create || !record || !finalize || !replay)
        return;
    int32_t error;
    size_t global = ITEMS, local = 64;
    double one_by_one = 0, together = 0;
    handle buffer = create(1, &queue, NULL, &error);
    CHECK(buffer && !error);
    for (int i = 0; i < HUNDRED; i++)
        CHECK(!record(buffer, NULL, NULL, kernel, 1, NULL, &global, &local, 0, NULL, NULL, NULL));
    CHECK(!finalize(buffer));
    for (int round = 0; round < rounds * 5; round++) {
        double t = now(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < HUNDRED; i++)
            CHECK(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        one_by_one = least(one_by_one, now(CLOCK_THREAD_CPUTIME_ID) - t);
        clFinish(queue);
        t = now(CLOCK_THREAD_CPUTIME_ID);
        CHECK(!replay(0, NULL, buffer, 0, NULL, NULL));
        together = least(together, now(CLOCK_THREAD_CPUTIME_ID) - t);
        clFinish(queue);
    }
    printf("hundred_us %.2f\n", 1e6 * one_by_one);
    printf("hundred_replayed_us %.2f\n", 1e6 * together);
}

static void memory(size_t large) {
    char *host, *copy;
    int32_t error;
    double create = 0, map = 0, move = 0, plain = 0;
    CHECK(!posix_memalign((void **)&host, 4096, large) && !posix_memalign((void **)&copy, 4096, large));
    memset(host, 1, large);
    memset(copy, 2, large);
    handle there = clCreateBuffer(context, READ_WRITE, large, NULL, &error);
    handle here = NULL;
    for (int round = 0; round < 20; round++) {
        double t = now(CLOCK_MONOTONIC);
        here = clCreateBuffer(context, READ_WRITE | USE_HOST_PTR, large, host, &error);
        create = least(create, now(CLOCK_MONOTONIC) - t);
        CHECK(!error);
        t = now(CLOCK_MONOTONIC);
        void *place = clEnqueueMapBuffer(queue, here, 1, MAP, 0, large, 0, NULL, NULL, &error);
        CHECK(!error && place == host);
        CHECK(!clEnqueueUnmapMemObject(queue, here, place, 0, NULL, NULL) && !clFinish(queue));
        map = least(map, now(CLOCK_MONOTONIC) - t);
        t = now(CLOCK_PROCESS_CPUTIME_ID);
        CHECK(!clEnqueueCopyBuffer(queue, here, there, 0, 0, large, 0, NULL, NULL) && !clFinish(queue));
        move = least(move, now(CLOCK_PROCESS_CPUTIME_ID) - t);
        clReleaseMemObject(here);
        t = now(CLOCK_PROCESS_CPUTIME_ID);
        memcpy(copy, host, large);
        plain = least(plain, now(CLOCK_PROCESS_CPUTIME_ID) - t);
    }
    printf("use_host_ptr_us %.1f\n", 1e6 * create);
    printf("map_unmap_us %.1f\n", 1e6 * map);
    printf("copy_gb_s %.2f\n", 2e-9 * large / move);
    printf("memcpy_gb_s %.2f\n", 2e-9 * large / plain);
}

int main(int count, char **words) {
    CHECK(count == 3);
    handle platform, device;
    int32_t error;
    CHECK(!clGetPlatformIDs(1, &platform, NULL) && !clGetDeviceIDs(platform, CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    handle program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &error);
    CHECK(!clBuildProgram(program, 0, NULL, "", NULL, NULL));
    kernel = clCreateKernel(program, "advance", &error);
    a = clCreateBuffer(context, READ_WRITE, 4 * ITEMS, NULL, &error);
    b = clCreateBuffer(context, READ_WRITE, 4 * ITEMS, NULL, &error);
    CHECK(kernel && a && b);
    for (int round = 0; round < 100; round++)
        launch(round);
    CHECK(!clFinish(queue));
    launches(atoi(words[1]));
    replays(platform, atoi(words[1]));
    memory((size_t)atoi(words[2]) << 20);
    return 0;
}
