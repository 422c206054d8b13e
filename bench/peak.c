/* A loop of multiply-adds in registers, on several threads: the maximum arithmetic rate of a kernel. */

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
typedef float Vector __attribute__((vector_size(BYTES)));

/* Enough to hide the latency of an instruction (4 cycles, two per cycle), and few enough for sixteen registers. */
enum { CHAINS = 12, ROUNDS = 1 << 16 };

struct Share {
    pthread_barrier_t *barrier;
    int passes;
    clockid_t clock;
    double seconds; /* per pass */
    Vector result;
};

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* The values converge to 1, so neither overflow nor denormal numbers occur, however long it runs. */
static Vector chains(Vector start) {
    Vector values[CHAINS], half = start * 0.0f + 0.5f;
    for (int k = 0; k < CHAINS; k++)
        values[k] = start + (float)k;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < CHAINS; k++)
            values[k] = multiply_add(values[k], half, half);
    Vector sum = values[0];
    for (int k = 1; k < CHAINS; k++)
        sum += values[k];
    return sum;
}

static void *work(void *given) {
    struct Share *share = given;
    double started = 0;
    for (int pass = -1; pass < share->passes; pass++) { /* the first one is not timed */
        if (pass == 0) {
            pthread_barrier_wait(share->barrier);
            started = now(share->clock);
        }
        share->result = chains(share->result);
    }
    pthread_barrier_wait(share->barrier);
    share->seconds = (now(share->clock) - started) / share->passes;
    return NULL;
}

/* Returns the mean operations per second of all threads, or a negative number if out of memory. `cpu`: per second
 * of processor time rather than wall time. */
__attribute__((visibility("default"))) double peak_operations(int threads, int passes, int cpu) {
    clockid_t clock = cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    struct Share *shares = aligned_alloc(64, (size_t)threads * sizeof *shares);
    double rate = -1;
    if (handles && shares) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++) {
            shares[i] = (struct Share){&barrier, passes, clock, 0, (Vector){0}};
            if (i > 0)
                pthread_create(&handles[i], NULL, work, &shares[i]);
        }
        work(&shares[0]);
        for (int i = 1; i < threads; i++)
            pthread_join(handles[i], NULL);
        pthread_barrier_destroy(&barrier);
        rate = 2.0 * CHAINS * ROUNDS * (BYTES / sizeof(float)) * threads / shares[0].seconds;
        /* Use the result, so that it must be computed. */
        if (shares[0].result[0] == 0.25f)
            rate += 1;
    }
    free(shares);
    free(handles);
    return rate;
}
