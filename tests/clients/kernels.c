/* Local memory, barriers, tiles, three dimensions and a structure argument, compared with plain C. */
#include "client.h"

#define TEXT(...) #__VA_ARGS__

static const char *const KERNELS = TEXT(
    __kernel void sum(__global const int *in, __global int *out, __local int *part) {
        size_t l = get_local_id(0), n = get_local_size(0);
        part[l] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t s = 1; s < n; s *= 2) {
            int other = l + s < n && l % (2 * s) == 0 ? part[l + s] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            part[l] += other;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (l == 0) out[get_group_id(0)] = part[0];
    }
    __kernel void product(__global const int *a, __global const int *b, __global int *c, int n) {
        __local int ta[8][8], tb[8][8];
        int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1), sum = 0;
        for (int t = 0; t < n / 8; t++) {
            ta[y][x] = a[row * n + t * 8 + x];
            tb[y][x] = b[(t * 8 + y) * n + col];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < 8; k++) sum += ta[y][k] * tb[k][x];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        c[row * n + col] = sum;
    }
    __kernel void stencil(__global const int *in, __global int *out) {
        size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
        size_t w = get_global_size(0) + 2, h = get_global_size(1) + 2, at = ((z + 1) * h + y + 1) * w + x + 1;
        out[(z * (h - 2) + y) * (w - 2) + x] =
            in[at] + in[at - 1] + in[at + 1] + in[at - w] + in[at + w] + in[at - w * h] + in[at + w * h];
    }
    struct pair { int count; float factor; };
    struct options { char tag; struct pair pair; double offset; };
    __kernel void apply(__global float *a, struct options o) {
        size_t i = get_global_id(0);
        if (i < o.pair.count) a[i] = a[i] * o.pair.factor + (float)o.offset + o.tag;
    });

static struct session session;

static uintptr_t buffer(size_t size, const void *data) {
    int32_t code = 1;
    uint64_t flags = data ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
    uintptr_t made = clCreateBuffer(session.context, flags, size, (uintptr_t)data, &code);
    CHECK(made && code == CL_SUCCESS);
    return made;
}

static uintptr_t kernel(const char *name) {
    int32_t code = 1;
    uintptr_t made = clCreateKernel(session.program, name, &code);
    CHECK(made && code == CL_SUCCESS);
    return made;
}

static void argument(uintptr_t kernel, uint32_t index, size_t size, const void *value) {
    CHECK(!clSetKernelArg(kernel, index, size, (uintptr_t)value));
}

static void run(uintptr_t kernel, uint32_t dimensions, const size_t *global, const size_t *local, uintptr_t out,
                size_t size, void *result) {
    CHECK(!clEnqueueNDRangeKernel(session.queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
    CHECK(!clEnqueueReadBuffer(session.queue, out, CL_TRUE, 0, size, (uintptr_t)result, 0, NULL, NULL));
    CHECK(!clReleaseKernel(kernel));
}

static void reduction(size_t local) {
    enum { N = 7 * 1024 };
    static int32_t in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i * 37 % 1001 - 500;
    uintptr_t k = kernel("sum"), a = buffer(sizeof in, in), b = buffer(sizeof out, NULL);
    argument(k, 0, sizeof a, &a);
    argument(k, 1, sizeof b, &b);
    argument(k, 2, 4 * local, NULL);
    size_t global = N;
    run(k, 1, &global, &local, b, sizeof out, out);
    for (size_t g = 0; g < N / local; g++) {
        int32_t sum = 0;
        for (size_t i = 0; i < local; i++) sum += in[g * local + i];
        CHECK(out[g] == sum);
    }
    CHECK(!clReleaseMemObject(a) && !clReleaseMemObject(b));
}

static void matrix_product(void) {
    enum { N = 64 };
    static int32_t a[N][N], b[N][N], c[N][N], n = N;
    for (int i = 0; i < N * N; i++) a[i / N][i % N] = i % 17, b[i / N][i % N] = i % 23 - 11;
    uintptr_t k = kernel("product"), buffers[] = {buffer(sizeof a, a), buffer(sizeof b, b), buffer(sizeof c, NULL)};
    for (uint32_t i = 0; i < 3; i++) argument(k, i, sizeof buffers[i], &buffers[i]);
    argument(k, 3, sizeof n, &n);
    run(k, 2, (size_t[]){N, N}, (size_t[]){8, 8}, buffers[2], sizeof c, c);
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++) {
            int32_t sum = 0;
            for (int i = 0; i < N; i++) sum += a[row][i] * b[i][col];
            CHECK(c[row][col] == sum);
        }
    for (int i = 0; i < 3; i++) CHECK(!clReleaseMemObject(buffers[i]));
}

static void stencil(const size_t *local) {
    enum { X = 17, Y = 13, Z = 7 };
    static int32_t in[Z + 2][Y + 2][X + 2], out[Z][Y][X];
    for (int i = 0; i < (Z + 2) * (Y + 2) * (X + 2); i++) (&in[0][0][0])[i] = i * 7919 % 1000;
    uintptr_t k = kernel("stencil"), a = buffer(sizeof in, in), b = buffer(sizeof out, NULL);
    argument(k, 0, sizeof a, &a);
    argument(k, 1, sizeof b, &b);
    run(k, 3, (size_t[]){X, Y, Z}, local, b, sizeof out, out);
    for (int z = 1; z <= Z; z++)
        for (int y = 1; y <= Y; y++)
            for (int x = 1; x <= X; x++)
                CHECK(out[z - 1][y - 1][x - 1] == in[z][y][x] + in[z][y][x - 1] + in[z][y][x + 1] + in[z][y - 1][x] +
                                                      in[z][y + 1][x] + in[z - 1][y][x] + in[z + 1][y][x]);
    CHECK(!clReleaseMemObject(a) && !clReleaseMemObject(b));
}

static void structure(void) {
    static float a[COUNT], result[COUNT];
    struct pair { int32_t count; float factor; };
    struct options { char tag; struct pair pair; double offset; } options = {3, {700, 2}, 0.5};
    for (int i = 0; i < COUNT; i++) a[i] = (float)i;
    uintptr_t k = kernel("apply"), b = buffer(sizeof a, a);
    argument(k, 0, sizeof b, &b);
    argument(k, 1, sizeof options, &options);
    run(k, 1, (size_t[]){COUNT}, NULL, b, sizeof result, result);
    for (int i = 0; i < COUNT; i++) CHECK(result[i] == (i < 700 ? 2 * a[i] + 3.5f : a[i]));
    CHECK(!clReleaseMemObject(b));
}

int main(void) {
    int32_t code = 1;
    session = open_session();
    const char *text = KERNELS;
    session.program = clCreateProgramWithSource(session.context, 1, &text, NULL, &code);
    CHECK(!code && !clBuildProgram(session.program, 0, NULL, "", 0, 0));
    const size_t sizes[] = {1, 7, 64, 1024};
    for (int i = 0; i < 4; i++) reduction(sizes[i]);
    matrix_product();
    stencil(NULL);
    stencil((size_t[]){1, 13, 7});
    structure();
    close_session(&session);
    printf("ok\n");
    return 0;
}
