/* C loops on all cores, as fast as we can write them: the references of the kernels of the family `limits`.
 * Vectors are explicit where the compiler does not vectorize.
 *
 * Every function takes the arrays of its kernel; the work is divided among the threads that `set_threads`
 * determines.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang fp reassociate(on) contract(fast)

#define EXPORT __attribute__((visibility("default")))

enum { MOST_THREADS = 256, LANES = 16, PIECES = 8 };

typedef float floats __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int ints __attribute__((vector_size(4 * LANES), aligned(4)));
typedef void body(const void *arguments, size_t from, size_t to);

/* `a` where the mask is set, else `b`. */
static inline floats choose(ints mask, floats a, floats b) {
    return (floats)((mask & (ints)a) | (~mask & (ints)b));
}

struct Work {
    body *run;
    const void *arguments;
    size_t count, piece, next;
};

static int threads = 1;

EXPORT void set_threads(int count) {
    threads = count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count;
}

static void *take_pieces(void *given) {
    struct Work *work = given;
    size_t from;
    while ((from = __atomic_fetch_add(&work->next, work->piece, __ATOMIC_RELAXED)) < work->count) {
        size_t to = from + work->piece;
        work->run(work->arguments, from, to < work->count ? to : work->count);
    }
    return NULL;
}

static void parallel(body *run, const void *arguments, size_t count) {
    struct Work work = {run, arguments, count, (count + (size_t)threads * PIECES - 1) / ((size_t)threads * PIECES), 0};
    pthread_t others[MOST_THREADS];
    int started = 0;
    while (started < threads - 1 && pthread_create(&others[started], NULL, take_pieces, &work) == 0)
        started++;
    take_pieces(&work);
    for (int k = 0; k < started; k++)
        pthread_join(others[k], NULL);
}

struct Bodies {
    const float *bodies;
    float *result;
    size_t count;
};

static void accelerate_some(const void *given, size_t from, size_t to) {
    const struct Bodies *g = given;
    for (size_t block = from * LANES; block < to * LANES; block += LANES) {
        floats x, y, z, ax = {0}, ay = {0}, az = {0};
        for (int l = 0; l < LANES; l++) {
            x[l] = g->bodies[4 * (block + l)];
            y[l] = g->bodies[4 * (block + l) + 1];
            z[l] = g->bodies[4 * (block + l) + 2];
        }
        for (size_t j = 0; j < g->count; j++) {
            const float *other = g->bodies + 4 * j;
            floats dx = other[0] - x, dy = other[1] - y, dz = other[2] - z;
            floats square = dx * dx + dy * dy + dz * dz + 0.01f;
            floats inverse = 1.0f / __builtin_elementwise_sqrt(square), factor = other[3] * inverse * inverse * inverse;
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        for (int l = 0; l < LANES; l++) {
            float *to_body = g->result + 4 * (block + l);
            to_body[0] = ax[l];
            to_body[1] = ay[l];
            to_body[2] = az[l];
            to_body[3] = 0;
        }
    }
}

/* `count` is a multiple of 16. */
EXPORT void accelerate(const float *bodies, float *result, size_t count) {
    struct Bodies given = {bodies, result, count};
    parallel(accelerate_some, &given, count / LANES);
}

struct Convolution {
    const float *image, *mask;
    float *result;
    size_t side;
};

static void convolve_rows(const void *given, size_t from, size_t to) {
    const struct Convolution *g = given;
    size_t side = g->side;
    for (size_t y = from; y < to; y++) {
        float *restrict line = g->result + y * side;
        for (size_t x = 0; x + LANES <= side; x += LANES) {
            floats sum = {0};
            for (int v = 0; v < 5; v++)
                for (int u = 0; u < 5; u++)
                    sum += g->mask[5 * v + u] * *(const floats *)(g->image + (y + v) * (side + 4) + x + u);
            *(floats *)(line + x) = sum;
        }
    }
}

/* `side` is a multiple of 16. */
EXPORT void convolve(const float *image, const float *mask, float *result, size_t side) {
    struct Convolution given = {image, mask, result, side};
    parallel(convolve_rows, &given, side);
}

struct Grid {
    const float *in;
    float *out;
    size_t side;
};

static void diffuse_layers(const void *given, size_t from, size_t to) {
    const struct Grid *g = given;
    size_t side = g->side, layer = side * side;
    for (size_t z = from + 1; z < to + 1; z++)
        for (size_t y = 1; y < side - 1; y++) {
            const float *in = g->in + z * layer + y * side;
            float *restrict out = g->out + z * layer + y * side;
            for (size_t x = 1; x < side - 1; x++)
                out[x] = 0.4f * in[x] + 0.1f * (in[x - 1] + in[x + 1] + in[x - side] + in[x + side] + in[x - layer]
                                                + in[x + layer]);
        }
}

EXPORT void diffuse(const float *in, float *out, size_t side) {
    struct Grid given = {in, out, side};
    parallel(diffuse_layers, &given, side - 2);
}

/* 2 to the power of n by setting exponent bits, times a polynomial for the remainder. */
static inline floats exponential(floats x) {
    floats scaled = x * 1.44269504f;
    floats n = __builtin_elementwise_rint(scaled);
    ints whole = __builtin_convertvector(n, ints);
    floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    floats p = 1.9875691500e-4f + 0 * r;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * (floats)((__builtin_elementwise_max(whole, (ints){0} - 126) + 127) << 23);
}

/* The exponent from its bits; the remainder, between sqrt(1/2) and sqrt(2), by a polynomial. */
static inline floats logarithm(floats x) {
    ints bits = (ints)x;
    ints exponent = ((bits >> 23) & 255) - 126;
    floats m = (floats)((bits & 0x007fffff) | 0x3f000000);
    ints small = m < 0.70710678f;
    exponent += small;
    m = choose(small, m + m, m);
    floats r = m - 1.0f, z = r * r, e = __builtin_convertvector(exponent, floats);
    floats p = 7.0376836292e-2f + 0 * r;
    p = p * r - 1.1514610310e-1f;
    p = p * r + 1.1676998740e-1f;
    p = p * r - 1.2420140846e-1f;
    p = p * r + 1.4249322787e-1f;
    p = p * r - 1.6668057665e-1f;
    p = p * r + 2.0000714765e-1f;
    p = p * r - 2.4999993993e-1f;
    p = p * r + 3.3333331174e-1f;
    return r - 0.5f * z + p * r * z + e * 0.69314718f;
}

static inline floats below(floats x) {
    floats size = __builtin_elementwise_abs(x), k = 1.0f / (1.0f + 0.2316419f * size);
    floats sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    floats tail = 0.39894228f * exponential(-0.5f * x * x) * sum;
    return choose(x > 0, 1.0f - tail, tail);
}

struct Options {
    const float *spot, *strike, *years;
    float *call;
};

static void price_some(const void *given, size_t from, size_t to) {
    const struct Options *g = given;
    for (size_t i = from * LANES; i < to * LANES; i += LANES) {
        floats s = *(const floats *)(g->spot + i), x = *(const floats *)(g->strike + i);
        floats t = *(const floats *)(g->years + i), deviation = 0.3f * __builtin_elementwise_sqrt(t);
        floats first = (logarithm(s / x) + 0.065f * t) / deviation;
        *(floats *)(g->call + i) = s * below(first) - x * exponential(-0.02f * t) * below(first - deviation);
    }
}

/* `count` is a multiple of 16. */
EXPORT void price(const float *spot, const float *strike, const float *years, float *call, size_t count) {
    struct Options given = {spot, strike, years, call};
    parallel(price_some, &given, count / LANES);
}

struct Escape {
    int *counts;
    size_t width;
    float left, top, step;
    int limit;
};

static void escape_rows(const void *given, size_t from, size_t to) {
    const struct Escape *g = given;
    for (size_t row = from; row < to; row++)
        for (size_t column = 0; column < g->width; column += LANES) {
            floats cx, cy = (floats){0} + (g->top + g->step * (float)row), x = {0}, y = {0};
            for (int l = 0; l < LANES; l++)
                cx[l] = g->left + g->step * (float)(column + (size_t)l);
            ints n = {0};
            for (int k = 0; k < g->limit; k++) {
                floats xx = x * x, yy = y * y;
                ints inside = xx + yy < 4.0f;
                if (!__builtin_reduce_or(inside))
                    break;
                n -= inside;
                y = choose(inside, 2.0f * x * y + cy, y);
                x = choose(inside, xx - yy + cx, x);
            }
            *(ints *)(g->counts + row * g->width + column) = n;
        }
}

/* `width` is a multiple of 16. */
EXPORT void escape(int *counts, size_t width, size_t height, float left, float top, float step, int limit) {
    struct Escape given = {counts, width, left, top, step, limit};
    parallel(escape_rows, &given, height);
}

struct Sparse {
    const int *starts, *columns;
    const float *values, *x;
    float *y;
};

static void multiply_rows(const void *given, size_t from, size_t to) {
    const struct Sparse *g = given;
    for (size_t row = from; row < to; row++) {
        float sum = 0;
        for (int k = g->starts[row]; k < g->starts[row + 1]; k++)
            sum += g->values[k] * g->x[g->columns[k]];
        g->y[row] = sum;
    }
}

EXPORT void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y, size_t rows) {
    struct Sparse given = {starts, columns, values, x, y};
    parallel(multiply_rows, &given, rows);
}
