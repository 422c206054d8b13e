/* Loops that only move memory, on several threads: the maximum bandwidth of a kernel.
 *
 * The arrays are in huge pages if the system supports them, like Weft's buffers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { READ, ADD, COPY, TRANSPOSE };
enum { HUGE_PAGE = 2 << 20 };

struct Loop {
    int kind, passes, threads;
    size_t count; /* floats per array */
    size_t side;  /* of a square matrix, if the arrays are matrices */
    float *a, *b, *c;
    clockid_t clock;
    pthread_barrier_t barrier;
};

struct Share {
    struct Loop *loop;
    size_t from, to;
    float sum;
    double seconds; /* per pass */
};

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static float read_all(const float *restrict a, size_t from, size_t to) {
#pragma clang fp reassociate(on)
    float sum = 0;
    for (size_t i = from; i < to; i++)
        sum += a[i];
    return sum;
}

static void add(float *restrict c, const float *restrict a, const float *restrict b, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        c[i] = a[i] + b[i];
}

/* The factor keeps the compiler from calling memcpy, whose stores bypass the caches. */
static void copy(float *restrict c, const float *restrict a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        c[i] = a[i] * 3.0f;
}

typedef float row __attribute__((vector_size(64), aligned(4)));
enum { TILE = sizeof(row) / sizeof(float), BLOCK = 32 * TILE };

/* Transpose a tile in four steps; in each, pairs of rows exchange halves. */
static void transpose_tile(float *restrict to, const float *restrict from, size_t side) {
    row r[TILE], s[TILE];
    for (int i = 0; i < TILE; i++)
        r[i] = *(const row *)(from + (size_t)i * side);
    for (int i = 0; i < TILE; i += 2) {
        s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        s[i + 1] =
            __builtin_shufflevector(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    }
    for (int i = 0; i < TILE; i += 4)
        for (int j = 0; j < 2; j++) {
            row a = s[i + j], b = s[i + j + 2];
            r[i + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            r[i + 2 * j + 1] =
                __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        }
    for (int i = 0; i < TILE; i += 8)
        for (int j = 0; j < 4; j++) {
            row a = r[i + j], b = r[i + j + 4];
            s[i + j] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
            s[i + j + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        }
    for (int j = 0; j < 8; j++) {
        row a = s[j], b = s[j + 8];
        r[j] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        r[j + 8] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
    for (int i = 0; i < TILE; i++)
        *(row *)(to + (size_t)i * side) = r[i];
}

/* Transpose the columns [from, to) of a square matrix; both are multiples of TILE. Tiles follow the rows that are
 * read, in blocks of 32x32, which was the fastest of rows, columns and blocks of 2 to 64. */
static void transpose(float *restrict c, const float *restrict a, size_t side, size_t from, size_t to) {
    for (size_t left = from; left < to; left += BLOCK)
        for (size_t top = 0; top < side; top += BLOCK)
            for (size_t y = top; y < top + BLOCK && y < side; y += TILE)
                for (size_t x = left; x < left + BLOCK && x < to; x += TILE)
                    transpose_tile(c + x * side + y, a + y * side + x, side);
}

/* Whether the transposition is correct; used by the tests. */
__attribute__((visibility("default"))) void transpose_matrix(float *c, const float *a, size_t side) {
    transpose(c, a, side, 0, side);
}

static void *work(void *given) {
    struct Share *share = given;
    struct Loop *loop = share->loop;
    size_t from = share->from, to = share->to;
    /* The thread that uses memory touches it first. */
    for (size_t i = from; i < to; i++)
        loop->a[i] = loop->b[i] = loop->c[i] = 1;
    double started = 0;
    for (int pass = -1; pass < loop->passes; pass++) { /* the first one is not timed */
        if (pass == 0) {
            pthread_barrier_wait(&loop->barrier);
            started = now(loop->clock);
        }
        if (loop->kind == READ)
            share->sum += read_all(loop->a, from, to);
        else if (loop->kind == ADD)
            add(loop->c, loop->a, loop->b, from, to);
        else if (loop->kind == COPY)
            copy(loop->c, loop->a, from, to);
        else
            transpose(loop->c, loop->a, loop->side, from / loop->side, to / loop->side);
    }
    pthread_barrier_wait(&loop->barrier);
    share->seconds = (now(loop->clock) - started) / loop->passes;
    return NULL;
}

static float *allocate(size_t count) {
    size_t bytes = (count * sizeof(float) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    float *array = aligned_alloc(HUGE_PAGE, bytes);
    if (array)
        madvise(array, bytes, MADV_HUGEPAGE);
    return array;
}

/* Returns the mean seconds of a pass over arrays of `count` floats, or a negative number if out of memory. A matrix
 * is square, with a side that is a multiple of 16. `cpu`: measure processor time rather than wall time. */
__attribute__((visibility("default"))) double stream_seconds(int kind, size_t count, int threads, int passes, int cpu) {
    struct Loop loop = {.kind = kind, .passes = passes, .threads = threads, .count = count};
    loop.clock = cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    struct Share *shares = calloc((size_t)threads, sizeof *shares);
    size_t unit = 1; /* threads take multiples of this number of floats */
    if (kind == TRANSPOSE) {
        while (loop.side * loop.side < count)
            loop.side += TILE;
        loop.count = count = loop.side * loop.side;
        unit = loop.side * TILE;
    }
    loop.a = allocate(count);
    loop.b = allocate(count);
    loop.c = allocate(count);
    double seconds = -1;
    if (handles && shares && loop.a && loop.b && loop.c) {
        pthread_barrier_init(&loop.barrier, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++) {
            size_t units = count / unit;
            shares[i] = (struct Share){&loop, units * (size_t)i / (size_t)threads * unit,
                                       units * (size_t)(i + 1) / (size_t)threads * unit, 0, 0};
            if (i > 0)
                pthread_create(&handles[i], NULL, work, &shares[i]);
        }
        work(&shares[0]);
        seconds = shares[0].seconds;
        for (int i = 1; i < threads; i++)
            pthread_join(handles[i], NULL);
        pthread_barrier_destroy(&loop.barrier);
        /* Use the sum, so that it must be computed. */
        if (shares[0].sum == 0.5f)
            seconds += 1e-12;
    }
    free(loop.a);
    free(loop.b);
    free(loop.c);
    free(shares);
    free(handles);
    return seconds;
}
