/* Initialization and shutdown: fork, the exit of the process, and threads that do not return from a kernel. */
#define _GNU_SOURCE
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { GRACE_NS = 100000000, FREEZE_NS = 50000000, POLL_US = 200 };

_Atomic uint32_t weft_generation;
_Atomic uint32_t weft_stopping;

static weft_lock pools_lock;
static weft_pool *pools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void register_handlers(void) {
    pthread_atfork(NULL, NULL, weft_pool_fork_child);
    weft_watch_faults();
}

void weft_lifecycle_add(weft_pool *pool) {
    pthread_once(&once, register_handlers);
    weft_lock_acquire(&pools_lock);
    pool->next = pools;
    pools = pool;
    weft_lock_release(&pools_lock);
}

/* The child has one thread, and locks may have been held by others, so all state is reset. Commands and queues of the
 * parent are recognized by their generation when they are used next. */
void weft_pool_fork_child(void) {
    atomic_fetch_add(&weft_generation, 1);
    atomic_store(&weft_stopping, 0);
    atomic_store(&pools_lock.state, 0);
    weft_threads_reset();
    weft_interrupts_reset();
    weft_kept_reset();
    weft_notify_reset();
    weft_queues_reset();
    weft_commands_reset();
    weft_remotes_reset();
    weft_simulations_reset();
    for (weft_pool *pool = pools; pool; pool = pool->next)
        weft_pool_reset(pool);
}

static void freeze_here(weft_thread *self) {
    atomic_store(&self->frozen, 1);
    for (;;)
        pause();
}

/* Mark code inside a chunk that may take locks of the C library (of malloc or standard output), which the exit of the
 * process needs too, or that runs on a small stack. In between, the thread is not frozen and does not run signal
 * handlers of the program; both happen in the outermost weft_unguard. Calls may be nested. Only the thread itself and
 * signal handlers on it access these fields, so signal fences suffice. */
weft_thread *weft_guard(void) {
    weft_thread *self = weft_thread_current();
    if (self)
        atomic_store_explicit(&self->guarded, atomic_load_explicit(&self->guarded, memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return self;
}

void weft_unguard(weft_thread *self) {
    atomic_signal_fence(memory_order_seq_cst);
    if (!self)
        return;
    uint32_t left = atomic_load_explicit(&self->guarded, memory_order_relaxed) - 1;
    atomic_store_explicit(&self->guarded, left, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (left)
        return;
    if (atomic_load_explicit(&self->to_freeze, memory_order_relaxed))
        freeze_here(self);
    if (atomic_load_explicit(&self->signalled, memory_order_relaxed))
        weft_leave_if_signalled(self);
}

#if defined(SIGRTMAX)
/* A signal for which the process has no handler, or 0. */
static int freeze_signal(void) {
    struct sigaction action;
    int signal = SIGRTMAX - 5;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL ? signal : 0;
}

/* Signal handler on a thread inside a kernel. It does not return, because the code and memory of the kernel are about
 * to be freed. */
static void freeze(int signal) {
    (void)signal;
    weft_thread *self = weft_thread_current();
    if (!self || !atomic_load(&self->working))
        return;
    if (atomic_load(&self->guarded))
        atomic_store(&self->to_freeze, 1);
    else
        freeze_here(self);
}
#endif

/* Blocks all signals except faults and the one that weft_stop may send. */
void weft_block_signals(sigset_t *old) {
    sigset_t set;
    sigfillset(&set);
#if defined(SIGRTMAX)
    sigdelset(&set, SIGRTMAX - 5);
#endif
    weft_allow_faults(&set);
    pthread_sigmask(SIG_SETMASK, &set, old);
}

struct census {
    uint32_t working;
    int signal;
};

static void count_working(weft_thread *thread, void *with) {
    struct census *census = with;
    weft_command *target = atomic_load(&thread->target);
    if (target)
        weft_futex_wake(&target->status, INT_MAX);
    if (!atomic_load(&thread->working) || atomic_load(&thread->frozen) || thread == weft_thread_current())
        return;
    census->working++;
    if (census->signal)
        pthread_kill(thread->handle, census->signal);
}

/* Waits until no thread is inside a chunk, but at most `limit_ns`. Whether there is none. */
static bool wait_for_threads(uint64_t limit_ns) {
    uint64_t begin = weft_now();
    for (;;) {
        struct census census = {0, 0};
        weft_threads_each(count_working, &census);
        if (!census.working || weft_now() - begin > limit_ns)
            return !census.working;
        usleep(POLL_US);
    }
}

void weft_stop(void) {
    if (atomic_exchange(&weft_stopping, 1))
        return;
    weft_lock_acquire(&pools_lock);
    for (weft_pool *pool = pools; pool; pool = pool->next)
        weft_pool_rouse(pool);
    weft_lock_release(&pools_lock);
    if (wait_for_threads(GRACE_NS))
        return;
#if defined(SIGRTMAX)
    struct census census = {0, freeze_signal()};
    if (!census.signal)
        return;
    struct sigaction action = {.sa_handler = freeze};
    sigfillset(&action.sa_mask);
    if (sigaction(census.signal, &action, NULL))
        return;
    weft_threads_each(count_working, &census);
    wait_for_threads(FREEZE_NS);
#endif
}
