/* Calls that a thread of the client has Python make, in another thread.
 *
 * A thread that waits for Python's lock cannot stop waiting. So a thread that may have to stop does not begin: a thread that
 * is made for the call waits for the lock and then makes the call, while the client's thread waits for it. If Python's lock
 * is not to be had for PATIENCE (a thread of the client holds it, and may be waiting for this one), the call is withdrawn,
 * and its caller does without Python. A call is claimed or withdrawn under the lock of all lists: it is made once, or not at
 * all. While a thread with a withdrawn call waits, Python is known to be out of reach, and no further call is tried.
 *
 * Lifetime: the record of a call has a copy of the arguments and two users, the caller and the thread; the last one frees it.
 * The caller returns when the call has been made. If Python ends before that, the caller returns too: the thread never gets
 * Python's lock again, so it uses nothing but the record.
 *
 * The lock of all lists is never held while Python's lock is waited for. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_MILLISECONDS = 100, MOMENT_NANOSECONDS = 5000000, MOST_MOMENTS = 2000, STACK_BYTES = 16 << 20 };
enum { WAITS, IS_CLAIMED, IS_MADE, IS_WITHDRAWN };

typedef struct handover {
    void (*make)(void *arguments);
    int state, users;
    _Alignas(16) unsigned char arguments[];
} handover;

/* All guarded by the lock of all lists. */
static pthread_cond_t changed;
static bool is_started, has_ended;
static uint32_t claimed; /* calls that are being made */
static uint32_t stuck;   /* threads that wait for Python's lock with a withdrawn call */

/* The caller holds the lock. */
static void drop(handover *call) {
    if (!--call->users)
        free(call);
}

static void *enter(void *given) {
    handover *call = given;
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "weft-call");
#endif
    int state = hot_enter();
    pthread_mutex_lock(&hot_lock);
    bool is_mine = call->state == WAITS && !has_ended;
    if (is_mine) {
        call->state = IS_CLAIMED;
        claimed++;
    } else if (call->state == IS_WITHDRAWN) {
        stuck--;
    }
    pthread_mutex_unlock(&hot_lock);
    if (is_mine)
        call->make(call->arguments);
    pthread_mutex_lock(&hot_lock);
    if (is_mine) {
        call->state = IS_MADE;
        claimed--;
        pthread_cond_broadcast(&changed);
    }
    drop(call);
    pthread_mutex_unlock(&hot_lock);
    hot_leave(state);
    return NULL;
}

/* Handlers of the program's signals do not run in the thread. */
bool hot_start_thread(void *(*body)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t blocked, old;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&blocked);
    for (const int *fault = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, 0}; *fault; fault++)
        sigdelset(&blocked, *fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    bool started = pthread_create(&thread, &attributes, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* The caller holds the lock. */
static void start_condition(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
    is_started = true;
}

bool hot_hand_over(void (*make)(void *), void *arguments, size_t size) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += PATIENCE_MILLISECONDS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    handover *call = malloc(sizeof *call + size);
    if (!call)
        return false;
    *call = (handover){.make = make, .state = WAITS, .users = 2};
    memcpy(call->arguments, arguments, size);
    pthread_mutex_lock(&hot_lock);
    if (!is_started)
        start_condition();
    bool tried = !stuck && !has_ended && hot_start_thread(enter, call);
    if (!tried)
        call->users = 1;
    while (tried && call->state == WAITS && !has_ended)
        if (pthread_cond_timedwait(&changed, &hot_lock, &end) == ETIMEDOUT)
            break;
    if (tried && call->state == WAITS) {
        call->state = IS_WITHDRAWN;
        stuck++;
    }
    while (call->state == IS_CLAIMED && !has_ended)
        pthread_cond_wait(&changed, &hot_lock);
    bool taken = call->state == IS_CLAIMED || call->state == IS_MADE;
    if (call->state == IS_MADE)
        memcpy(arguments, call->arguments, size);
    drop(call);
    pthread_mutex_unlock(&hot_lock);
    return taken;
}

/* Python ends: calls that are being made are waited for, for some seconds, and no more are made. */
void hot_end_handovers(void) {
    struct timespec moment = {.tv_nsec = MOMENT_NANOSECONDS};
    pthread_mutex_lock(&hot_lock);
    for (int i = 0; claimed && i < MOST_MOMENTS; i++) {
        pthread_mutex_unlock(&hot_lock);
        nanosleep(&moment, NULL);
        pthread_mutex_lock(&hot_lock);
    }
    has_ended = true;
    if (is_started)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&hot_lock);
}

/* In the child of a fork, which has none of these threads. */
void hot_forget_handovers(void) {
    claimed = stuck = 0;
    is_started = false;
}
