/* Futexes on Linux; elsewhere they are emulated by a table of condition variables. */
#define _GNU_SOURCE
#include "sync.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#if defined(__linux__) && !defined(WEFT_NO_FUTEX)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

int weft_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns) {
    struct timespec limit = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    long result = syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, expected,
                          timeout_ns ? &limit : NULL, NULL, 0);
    return result != -1 ? 1 : errno == ETIMEDOUT ? 0 : errno == EINTR ? -1 : 1;
}

void weft_futex_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#else

#define BUCKETS 64

/* Several words may share a bucket, so a wake may also wake threads that sleep on other words. */
static struct bucket {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};

static struct bucket *bucket_of(_Atomic uint32_t *word) {
    return &buckets[((uintptr_t)word >> 4) % BUCKETS];
}

int weft_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns) {
    struct bucket *bucket = bucket_of(word);
    int result = 0;
    pthread_mutex_lock(&bucket->mutex);
    if (atomic_load(word) == expected) {
        if (timeout_ns) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            uint64_t nanoseconds = (uint64_t)until.tv_nsec + timeout_ns;
            until.tv_sec += (time_t)(nanoseconds / 1000000000u);
            until.tv_nsec = (long)(nanoseconds % 1000000000u);
            result = pthread_cond_timedwait(&bucket->changed, &bucket->mutex, &until);
        } else {
            pthread_cond_wait(&bucket->changed, &bucket->mutex);
        }
    }
    pthread_mutex_unlock(&bucket->mutex);
    return result != ETIMEDOUT;
}

void weft_futex_wake(_Atomic uint32_t *word, int count) {
    struct bucket *bucket = bucket_of(word);
    (void)count;
    pthread_mutex_lock(&bucket->mutex);
    pthread_cond_broadcast(&bucket->changed);
    pthread_mutex_unlock(&bucket->mutex);
}

#endif

void weft_lock_slow(weft_lock *lock) {
    /* Locks are usually held for a few dozen nanoseconds, so spinning is faster than sleeping. */
    for (int i = 0; i < 64; i++) {
        uint32_t expected = 0;
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed))
            return;
        weft_pause();
    }
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        weft_futex_wait(&lock->state, 2, 0);
}
