/* A library of a Python program that waits, with Python's lock held, for a thread of its own that makes calls. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { PATIENCE_SECONDS = 40 };

struct call {
    int64_t (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    uintptr_t arguments[9];
    uintptr_t indirect; /* bits: the argument lies at this address when the call is made */
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
        for (int i = 0; i < 9; i++) a[i] = c->indirect >> i & 1 ? *(uintptr_t *)c->arguments[i] : c->arguments[i];
        c->result = c->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
        __atomic_fetch_add(&calls->made, 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

/* How many of the calls were made in time. */
__attribute__((visibility("default"))) int run(struct call *first, int count) {
    static struct calls calls;
    pthread_t thread;
    struct timespec end;
    calls = (struct calls){first, count, 0};
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    if (pthread_create(&thread, 0, make, &calls)) return -1;
    pthread_timedjoin_np(thread, 0, &end);
    return __atomic_load_n(&calls.made, __ATOMIC_SEQ_CST);
}
