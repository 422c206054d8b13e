/* Loops that only move memory, on several threads: the bandwidth that a kernel can reach at most. */

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READ, ADD, COPY };

struct Loop {
    int kind, passes, threads;
    size_t count; /* floats per array */
    float *a, *b, *c;
    pthread_barrier_t barrier;
};

struct Share {
    struct Loop *loop;
    size_t from, to;
    float sum;
    double best;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
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

/* A factor keeps the compiler from calling memcpy, whose stores go round the caches. */
static void copy(float *restrict c, const float *restrict a, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        c[i] = a[i] * 3.0f;
}

static void *work(void *given) {
    struct Share *share = given;
    struct Loop *loop = share->loop;
    size_t from = share->from, to = share->to;
    /* Whoever works on memory touches it first. */
    for (size_t i = from; i < to; i++)
        loop->a[i] = loop->b[i] = loop->c[i] = 1;
    share->best = 1e30;
    for (int pass = 0; pass < loop->passes; pass++) {
        pthread_barrier_wait(&loop->barrier);
        double started = now();
        if (loop->kind == READ)
            share->sum += read_all(loop->a, from, to);
        else if (loop->kind == ADD)
            add(loop->c, loop->a, loop->b, from, to);
        else
            copy(loop->c, loop->a, from, to);
        pthread_barrier_wait(&loop->barrier);
        double seconds = now() - started;
        if (seconds < share->best)
            share->best = seconds;
    }
    return NULL;
}

/* The seconds of the best of many passes over arrays of `count` floats, or a negative number: out of memory. */
__attribute__((visibility("default"))) double stream_seconds(int kind, size_t count, int threads, int passes) {
    struct Loop loop = {.kind = kind, .passes = passes, .threads = threads, .count = count};
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    struct Share *shares = calloc((size_t)threads, sizeof *shares);
    size_t bytes = (count * sizeof(float) + 4095) / 4096 * 4096;
    loop.a = aligned_alloc(4096, bytes);
    loop.b = aligned_alloc(4096, bytes);
    loop.c = aligned_alloc(4096, bytes);
    double best = -1;
    if (handles && shares && loop.a && loop.b && loop.c) {
        pthread_barrier_init(&loop.barrier, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++) {
            shares[i] = (struct Share){&loop, count * (size_t)i / (size_t)threads,
                                       count * (size_t)(i + 1) / (size_t)threads, 0, 0};
            if (i > 0)
                pthread_create(&handles[i], NULL, work, &shares[i]);
        }
        work(&shares[0]);
        best = shares[0].best;
        for (int i = 1; i < threads; i++)
            pthread_join(handles[i], NULL);
        pthread_barrier_destroy(&loop.barrier);
        /* The sum is used, so that it has to be computed. */
        if (shares[0].sum == 0.5f)
            best += 1e-12;
    }
    free(loop.a);
    free(loop.b);
    free(loop.c);
    free(shares);
    free(handles);
    return best;
}
