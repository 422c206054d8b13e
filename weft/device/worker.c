/* Worker threads: starting, idling and waking them.
 *
 * An idle worker spins for a moment, then sleeps. While commands become ready, one idle worker is the watcher: it
 * sleeps for short periods and looks for ready commands that no thread runs. So an enqueue needs no system call: if a
 * host thread waits soon, it runs the command itself; otherwise the watcher finds it.
 *
 * Invariant: if a ready command wants threads, a worker is awake, or there is a watcher, or a host thread that will run
 * the command is awake.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>

enum {
    WATCH_NS = 250000, /* maximum time that a command waits for a worker if no host thread waits or flushes */
    QUIET_WATCHES = 40, /* number of periods without a new command after which the watcher stops watching */
    MOST_WAKES = 2, /* maximum wake-ups by one thread; each woken worker wakes others in turn */
    STACK_BYTES = 8 << 20,
};

static void add_idle(weft_pool *pool, weft_thread *self) {
    self->idle = true;
    self->idle_previous = NULL;
    self->idle_next = pool->idle;
    if (pool->idle)
        pool->idle->idle_previous = self;
    pool->idle = self;
}

static void remove_idle(weft_pool *pool, weft_thread *thread) {
    if (thread->idle_previous)
        thread->idle_previous->idle_next = thread->idle_next;
    else
        pool->idle = thread->idle_next;
    if (thread->idle_next)
        thread->idle_next->idle_previous = thread->idle_previous;
    thread->idle = false;
    if (pool->watcher == thread)
        pool->watcher = NULL;
}

static void tell(weft_wakes *wakes, weft_thread *thread, uint32_t what) {
    if (atomic_exchange(&thread->word, what) == IDLE_SLEEPING)
        wakes->sleepers[wakes->sleeping++] = thread;
}

/* Chooses workers to wake for the demand. `reserved` threads are about to look for work and are not counted yet; they
 * reduce the demand. The caller holds the lock, also for the next function. */
void weft_wake_for_demand(weft_pool *pool, weft_wakes *wakes, uint32_t reserved) {
    uint32_t demand = atomic_load_explicit(&pool->demand, memory_order_relaxed);
    uint32_t active = atomic_load_explicit(&pool->active, memory_order_relaxed);
    while (wakes->chosen < MOST_WAKES && demand > pool->searching + reserved &&
           active + pool->searching + reserved < pool->limit) {
        uint32_t workers = atomic_load_explicit(&pool->workers, memory_order_relaxed);
        weft_thread *thread = pool->idle;
        if (thread) {
            remove_idle(pool, thread);
            tell(wakes, thread, IDLE_WORK);
        } else if (workers < pool->limit) {
            atomic_store_explicit(&pool->workers, workers + 1, memory_order_relaxed);
            wakes->start++;
        } else {
            return;
        }
        wakes->chosen++;
        pool->searching++;
    }
}

void weft_ensure_watcher(weft_pool *pool, weft_wakes *wakes) {
    uint32_t workers = atomic_load_explicit(&pool->workers, memory_order_relaxed);
    if (pool->watcher || pool->watcher_starting)
        return;
    if (pool->idle) {
        pool->watcher = pool->idle;
        tell(wakes, pool->idle, IDLE_WATCH);
    } else if (workers < pool->limit) {
        atomic_store_explicit(&pool->workers, workers + 1, memory_order_relaxed);
        pool->watcher_starting = wakes->start_watcher = true;
    }
    /* Otherwise all workers are awake and will look for work before they sleep. */
}

/* Waits until there may be work; becomes the watcher if there is none. The lock is held on entry and on return, and
 * released in between. */
static void be_idle(weft_pool *pool, weft_thread *self) {
    uint32_t seen = pool->pushes, quiet = 0;
    atomic_store_explicit(&self->word, IDLE_SPINNING, memory_order_relaxed);
    add_idle(pool, self);
    bool watching = !pool->watcher;
    if (watching)
        pool->watcher = self;
    weft_lock_release(&pool->lock);
    for (uint32_t turn = 0; weft_spin_on(pool, turn); turn++) {
        if (atomic_load_explicit(&self->word, memory_order_relaxed) != IDLE_SPINNING)
            break;
        weft_pause();
    }
    for (;;) {
        uint32_t word = IDLE_SPINNING;
        atomic_compare_exchange_strong(&self->word, &word, IDLE_SLEEPING);
        if (word == IDLE_WATCH) {
            watching = true;
            quiet = 0;
            atomic_compare_exchange_strong(&self->word, &word, IDLE_SLEEPING);
        }
        if (word == IDLE_WORK) {
            weft_lock_acquire(&pool->lock);
            pool->searching--;
            return;
        }
        if (weft_futex_wait(&self->word, IDLE_SLEEPING, watching ? WATCH_NS : 0))
            continue;
        weft_lock_acquire(&pool->lock);
        if (self->idle && pool->watcher == self) {
            uint32_t demand = atomic_load_explicit(&pool->demand, memory_order_relaxed);
            if (weft_is_stopping() || (demand && atomic_load(&pool->active) < pool->limit)) {
                remove_idle(pool, self);
                return;
            }
            quiet = seen == pool->pushes && !demand ? quiet + 1 : 0;
            seen = pool->pushes;
            if (quiet >= QUIET_WATCHES) {
                pool->watcher = NULL;
                watching = false;
            }
        }
        weft_lock_release(&pool->lock);
    }
}

static void *worker_main(void *argument) {
    weft_thread *self = argument;
    weft_pool *pool = self->pool;
    self->handle = pthread_self();
#if defined(__linux__)
    pthread_setname_np(self->handle, "weft-worker");
#endif
    weft_thread_become(self);
    weft_fault_stack_begin(self);
    weft_thread_register(self);
    weft_lock_acquire(&pool->lock);
    if (self->starts_watching) {
        pool->watcher_starting = false;
        be_idle(pool, self);
    } else {
        pool->searching--;
    }
    while (!weft_is_stopping()) {
        weft_command *command = weft_claim_any(pool);
        if (!command) {
            be_idle(pool, self);
            continue;
        }
        weft_wakes wakes = {0};
        weft_wake_for_demand(pool, &wakes, 0);
        weft_lock_release(&pool->lock);
        weft_apply_wakes(pool, &wakes);
        weft_participate(self, command);
        weft_lock_acquire(&pool->lock);
    }
    weft_lock_release(&pool->lock);
    weft_thread_become(NULL);
    weft_fault_stack_end(self);
    weft_thread_unregister(self);
    return NULL;
}

static bool start_worker(weft_pool *pool, bool watching) {
    pthread_attr_t attributes;
    pthread_t handle;
    sigset_t old;
    weft_thread *thread = weft_thread_new();
    if (!thread)
        return false;
    thread->pool = pool;
    thread->starts_watching = watching;
    thread->home = atomic_fetch_add(&pool->homes, 1) % pool->limit;
    if (pthread_attr_init(&attributes)) {
        free(thread);
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* The host's signal handlers must not run on the pool's threads. */
    weft_block_signals(&old);
    bool started = pthread_create(&handle, &attributes, worker_main, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (!started)
        free(thread);
    return started;
}

static void start_or_give_up(weft_pool *pool, bool watching) {
    if (start_worker(pool, watching))
        return;
    /* If there are no workers at all, waiting host threads run all commands. */
    weft_lock_acquire(&pool->lock);
    atomic_fetch_sub(&pool->workers, 1);
    if (watching)
        pool->watcher_starting = false;
    else
        pool->searching--;
    weft_lock_release(&pool->lock);
}

void weft_apply_wakes(weft_pool *pool, weft_wakes *wakes) {
    for (uint32_t i = 0; i < wakes->sleeping; i++)
        weft_futex_wake(&wakes->sleepers[i]->word, 1);
    for (uint32_t i = 0; i < wakes->start; i++)
        start_or_give_up(pool, false);
    if (wakes->start_watcher)
        start_or_give_up(pool, true);
}

/* At the end of the process: wakes all idle workers, which then exit. */
void weft_pool_rouse(weft_pool *pool) {
    weft_lock_acquire(&pool->lock);
    while (pool->idle) {
        weft_thread *thread = pool->idle;
        remove_idle(pool, thread);
        pool->searching++;
        if (atomic_exchange(&thread->word, IDLE_WORK) == IDLE_SLEEPING)
            weft_futex_wake(&thread->word, 1);
    }
    weft_lock_release(&pool->lock);
}
