/* Futexes, a small lock and the clock. */
#ifndef WEFT_SYNC_H
#define WEFT_SYNC_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Blocks while *word == expected, for at most timeout_ns (0: no limit); may wake up spuriously.
 * Returns 0 only if the time has expired, -1 if a signal handler has run. */
int weft_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);
void weft_futex_wake(_Atomic uint32_t *word, int count);

/* 0 free, 1 held, 2 held with sleepers. */
typedef struct weft_lock {
    _Atomic uint32_t state;
} weft_lock;

void weft_lock_slow(weft_lock *lock);

static inline void weft_lock_acquire(weft_lock *lock) {
    uint32_t expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &expected, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        weft_lock_slow(lock);
}

static inline void weft_lock_release(weft_lock *lock) {
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        weft_futex_wake(&lock->state, 1);
}

static inline void weft_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline uint64_t weft_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
