/* A library of a Python program that waits with Python's lock held: for a thread of its own that makes calls, for a lock that
 * another thread of Python holds while it makes calls, or for a command. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { PATIENCE_SECONDS = 40 };

struct call {
    int64_t (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    uintptr_t arguments[9];
    uintptr_t indirect;    /* bits: the argument lies at this address when the call is made */
    uintptr_t from_result; /* bits: the argument is what the call with this number returned */
    int64_t result;
};

struct calls {
    struct call *first;
    int count, made;
};

static void *make(void *given) {
    struct calls *calls = given;
    for (struct call *c = calls->first; c < calls->first + calls->count; c++) {
        uintptr_t a[9];
        for (int i = 0; i < 9; i++) {
            a[i] = c->indirect >> i & 1 ? *(uintptr_t *)c->arguments[i] : c->arguments[i];
            if (c->from_result >> i & 1) a[i] = (uintptr_t)calls->first[a[i]].result;
        }
        c->result = c->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
        __atomic_fetch_add(&calls->made, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

static struct calls calls;

__attribute__((visibility("default"))) int made_by_now(void) {
    return __atomic_load_n(&calls.made, __ATOMIC_SEQ_CST);
}

/* How many of the calls were made in that time. */
__attribute__((visibility("default"))) int start(struct call *first, int count, int milliseconds) {
    pthread_t thread;
    struct timespec end;
    calls = (struct calls){first, count, 0};
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    end.tv_sec += milliseconds / 1000 + end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    if (pthread_create(&thread, 0, make, &calls)) return -1;
    pthread_timedjoin_np(thread, 0, &end);
    return made_by_now();
}

/* How many of the calls were made in time. */
__attribute__((visibility("default"))) int run(struct call *first, int count) {
    return start(first, count, PATIENCE_SECONDS * 1000);
}

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

/* Makes the calls in the calling thread, which has Python's lock all the time, with another lock held. */
__attribute__((visibility("default"))) int run_locked(struct call *first, int count) {
    struct calls own = {first, count, 0};
    pthread_mutex_lock(&shared);
    make(&own);
    pthread_mutex_unlock(&shared);
    return own.made;
}

/* Makes a call until the number that it gives at `status` is not positive; 0: it was in time. */
__attribute__((visibility("default"))) int poll_until_ended(struct call *query, const volatile int32_t *status) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        struct calls one = {query, 1, 0};
        make(&one);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (query->result || now.tv_sec - start.tv_sec > PATIENCE_SECONDS) return -1;
    } while (*status > 0);
    return 0;
}
