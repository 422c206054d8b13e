/* Runs one kernel once, and prints the time of each phase: a name and microseconds per line.
 *
 * Arguments: the file of the source, the kernel, its global and local size in x and in y, the number of buffers
 * and of floats per buffer, the number that is the kernel's last argument, and the file to which the last buffer
 * is written. All buffers initially contain (i * 7919 % 1009) / 1009. A second program, which differs in one
 * line, is then run in the same way.
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
int32_t clSetKernelArg(handle, uint32_t, size_t, const void *);
int32_t clEnqueueNDRangeKernel(handle, handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                               const handle *, handle *);
int32_t clEnqueueReadBuffer(handle, handle, uint32_t, size_t, size_t, void *, uint32_t, const handle *, handle *);
int32_t clFinish(handle);

enum { CPU = 2, READ_WRITE = 1, COPY_HOST_PTR = 32, MOST_BUFFERS = 8, MOST_SOURCE = 1 << 16 };

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static double began;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* End a phase and begin the next one. */
static void phase(const char *name) {
    double time = now();
    printf("%s %.1f\n", name, 1e6 * (time - began));
    began = now();
}

static handle platform, device, context, queue, buffers[MOST_BUFFERS];
static int count;
static size_t bytes, global[2], local[2];

static void run(const char *source, const char *name, int number, void *result, const char *const *phases) {
    int32_t status;
    handle program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    CHECK(program && status == 0);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL) == 0);
    phase(phases[0]);
    handle kernel = clCreateKernel(program, name, &status);
    CHECK(kernel && status == 0);
    for (int k = 0; k < count; k++)
        CHECK(clSetKernelArg(kernel, k, sizeof(handle), &buffers[k]) == 0);
    CHECK(clSetKernelArg(kernel, count, sizeof number, &number) == 0);
    phase(phases[1]);
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL) == 0);
    CHECK(clFinish(queue) == 0);
    phase(phases[2]);
    CHECK(clEnqueueReadBuffer(queue, buffers[count - 1], 1, 0, bytes, result, 0, NULL, NULL) == 0);
    phase(phases[3]);
}

int main(int arguments, char **values) {
    CHECK(arguments == 11);
    static char source[MOST_SOURCE];
    FILE *file = fopen(values[1], "r");
    CHECK(file);
    size_t length = fread(source, 1, MOST_SOURCE - 64, file);
    fclose(file);
    for (int k = 0; k < 2; k++) {
        global[k] = strtoul(values[3 + k], NULL, 10);
        local[k] = strtoul(values[5 + k], NULL, 10);
    }
    count = atoi(values[7]);
    CHECK(count > 0 && count <= MOST_BUFFERS);
    size_t floats = strtoul(values[8], NULL, 10);
    bytes = floats * sizeof(float);
    int number = atoi(values[9]);
    float *content = malloc(bytes), *result = malloc(bytes);
    CHECK(content && result);
    for (size_t i = 0; i < floats; i++)
        content[i] = (float)(i * 7919 % 1009) / 1009.0f;
    memset(result, 0, bytes);

    began = now();
    int32_t status;
    CHECK(clGetPlatformIDs(1, &platform, NULL) == 0);
    CHECK(clGetDeviceIDs(platform, CPU, 1, &device, NULL) == 0);
    phase("platform");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(context && status == 0);
    queue = clCreateCommandQueue(context, device, 0, &status);
    CHECK(queue && status == 0);
    phase("context");
    for (int k = 0; k < count; k++) {
        buffers[k] = clCreateBuffer(context, READ_WRITE | COPY_HOST_PTR, bytes, content, &status);
        CHECK(buffers[k] && status == 0);
    }
    phase("buffers");
    run(source, values[2], number, result, (const char *const[]){"build", "kernel", "launch", "read"});
    file = fopen(values[10], "wb");
    CHECK(file && fwrite(result, 1, bytes, file) == bytes && fclose(file) == 0);
    /* The same kernel in a text that is new to all caches. */
    snprintf(source + length, 64, "\n#define SECOND 1\n");
    began = now();
    run(source, values[2], number, result,
        (const char *const[]){"second_build", "second_kernel", "second_launch", "second_read"});
    return 0;
}
