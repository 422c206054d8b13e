/* The pool: the lists of ready commands, the threads that run them, and waits of host threads. */
#include "internal.h"

#include <stdlib.h>

enum {
    HELPER_LOOKS = 16,   /* number of ready commands of its queue that a waiting host thread considers */
    CALL_FOR_HELP_NS = 10000,
    LOOK_NS = 5000000,
    INTERRUPT_NS = 50000000, /* polling period of the main thread: signals may be handled in other threads */
    BUSY_SPIN_FACTOR = 16,
};

/* Changes a counter that is written only under the pool's lock, and read without it; no read-modify-write is needed. */
static void change(_Atomic uint32_t *counter, uint32_t by) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

weft_pool *weft_pool_new(uint32_t threads, int exclusive) {
    weft_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->limit = threads ? threads : 1;
    pool->exclusive = exclusive != 0;
    /* An iteration takes about 40 cycles: one or two microseconds with few cores, five with many. */
    pool->spin = pool->limit < 2 ? 0 : pool->limit < 4 ? 100 : 400;
    weft_lifecycle_add(pool);
    return pool;
}

uint32_t weft_pool_workers(weft_pool *pool) {
    return atomic_load_explicit(&pool->workers, memory_order_relaxed);
}

/* Whether to continue spinning. While other threads run commands, a thread spins for longer, because the end of a
 * command usually makes another one ready. A sleep and a wake-up cost about 50 microseconds. */
bool weft_spin_on(weft_pool *pool, uint32_t turn) {
    if (turn < pool->spin)
        return true;
    return turn < pool->spin * BUSY_SPIN_FACTOR &&
           atomic_load_explicit(&pool->active, memory_order_relaxed) != 0;
}

/* In the child of a fork: there are no workers, and ready commands are lost. */
void weft_pool_reset(weft_pool *pool) {
    atomic_store(&pool->lock.state, 0);
    pool->first = pool->last = NULL;
    pool->idle = pool->watcher = NULL;
    pool->watcher_starting = false;
    pool->searching = 0;
    atomic_store(&pool->workers, 0);
    atomic_store(&pool->active, 0);
    atomic_store(&pool->demand, 0);
}

/* The lock must be held for the following functions, up to claim_for. */

static void list_queue(weft_pool *pool, weft_queue *queue) {
    queue->listed = true;
    queue->next = NULL;
    queue->previous = pool->last;
    *(pool->last ? &pool->last->next : &pool->first) = queue;
    pool->last = queue;
}

static void unlist_queue(weft_pool *pool, weft_queue *queue) {
    queue->listed = false;
    *(queue->previous ? &queue->previous->next : &pool->first) = queue->next;
    *(queue->next ? &queue->next->previous : &pool->last) = queue->previous;
}

static void list_command(weft_pool *pool, weft_command *command) {
    weft_queue *queue = command->queue;
    command->listed = true;
    command->next = NULL;
    command->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = command;
    queue->last = command;
    change(&queue->ready, 1);
    change(&pool->demand, command->wanted);
    pool->pushes++;
    if (!queue->listed)
        list_queue(pool, queue);
}

static void unlist_command(weft_pool *pool, weft_command *command) {
    weft_queue *queue = command->queue;
    command->listed = false;
    *(command->previous ? &command->previous->next : &queue->first) = command->next;
    *(command->next ? &command->next->previous : &queue->last) = command->previous;
    change(&queue->ready, -1u);
    change(&pool->demand, command->joined - command->wanted);
    if (!queue->first)
        unlist_queue(pool, queue);
}

/* Adds the calling thread to those that run `command`. A command with a single chunk is taken off the list, so this
 * thread is the only one. A command with several chunks may end before or after the thread's work on it, so the thread
 * gets a reference. */
static weft_command *claim(weft_pool *pool, weft_command *command) {
    weft_queue *queue = command->queue;
    if (command->joined++ == 0) {
        weft_note_time(command, TIME_STARTED);
        weft_set_status(command, RUNNING);
    }
    change(&pool->demand, -1u);
    atomic_fetch_add_explicit(&pool->active, 1, memory_order_relaxed);
    if (command->chunks == 1)
        unlist_command(pool, command);
    else
        weft_command_retain(command);
    /* Move the queue to the end of the list: queues are served round-robin. */
    if (queue->listed && queue != pool->last) {
        unlist_queue(pool, queue);
        list_queue(pool, queue);
    }
    return command;
}

weft_command *weft_claim_any(weft_pool *pool) {
    if (!atomic_load_explicit(&pool->demand, memory_order_relaxed) ||
        atomic_load_explicit(&pool->active, memory_order_relaxed) >= pool->limit)
        return NULL;
    for (weft_queue *queue = pool->first; queue; queue = queue->next)
        for (weft_command *command = queue->first; command; command = command->next)
            if (command->joined < command->wanted)
                return claim(pool, command);
    return NULL;
}

/* Whether a waiting host thread must leave commands to the workers. It must if Python finds valid copies for the
 * commands (settle.c) and Python runs signal handlers in this thread: a handler may wait for another command, and the
 * thread that runs that one would wait for the lock of the copies, which the interrupted thread holds. */
static bool leaves_to_workers(const weft_thread *self, const weft_queue *queue) {
    return queue->settle && self->interruptible && weft_pool_workers(queue->pool);
}

/* Claims a command for a thread that waits for `target`: the target, or a command enqueued before it. NULL: none. */
static weft_command *claim_for(weft_pool *pool, const weft_thread *self, weft_command *target) {
    weft_queue *queue = target->queue;
    if (pool->exclusive && atomic_load_explicit(&pool->active, memory_order_relaxed) >= pool->limit)
        return NULL;
    if (!atomic_load_explicit(&pool->workers, memory_order_relaxed) && !pool->watcher_starting) {
        weft_command *command = weft_claim_any(pool);
        if (command)
            return command;
    }
    if (!queue || leaves_to_workers(self, queue))
        return NULL;
    if (target->listed && target->joined < target->wanted)
        return claim(pool, target);
    weft_command *command = queue->first;
    for (int i = 0; command && i < HELPER_LOOKS; i++, command = command->next)
        if (command->sequence <= target->sequence && command->joined < command->wanted)
            return claim(pool, command);
    return NULL;
}

/* Requests more threads for a command that runs on one thread and has turned out to be long. */
static void widen(weft_command *command) {
    weft_pool *pool = command->pool;
    weft_wakes wakes = {0};
    uint32_t wanted = command->chunks < pool->limit ? command->chunks : pool->limit;
    weft_lock_acquire(&pool->lock);
    if (command->listed) {
        change(&pool->demand, wanted - command->wanted);
        command->wanted = wanted;
        weft_wake_for_demand(pool, &wakes, 0);
    }
    weft_lock_release(&pool->lock);
    weft_apply_wakes(pool, &wakes);
}

/* Runs chunks until none is left, or, in a worker, until more threads run commands than the pool's limit. Returns the
 * number of chunks. */
static uint32_t run_chunks(weft_thread *self, weft_command *command, uint64_t begin) {
    weft_pool *pool = command->pool;
    uint32_t done = 0, chunk = 0;
    uint32_t home = self->pool == pool ? self->home : pool->limit - 1;
    bool alone = command->wanted == 1;
    while (weft_take_chunk(command, home, &chunk)) {
        weft_run_chunk(command, self, chunk);
        done++;
        if (weft_is_stopping())
            break;
        if (self->pool && atomic_load_explicit(&pool->active, memory_order_relaxed) > pool->limit)
            break;
        if (alone && weft_now() - begin > CALL_FOR_HELP_NS) {
            alone = false;
            widen(command);
        }
    }
    return done;
}

/* Runs the calling thread's share of a command that it has claimed. The thread that finishes the last chunk completes
 * the command. */
void weft_participate(weft_thread *self, weft_command *command) {
    weft_pool *pool = command->pool;
    bool single = command->chunks == 1;
    uint64_t begin = weft_now();
    uint32_t done = 0;
    /* weft_stop stores `weft_stopping` and then loads `working`. This thread does the reverse, with sequentially
     * consistent accesses, so either it sees the flag or weft_stop sees that it is working. */
    atomic_store(&self->working, command->kind != KIND_NATIVE);
    if (!atomic_load(&weft_stopping)) {
        if (command->tracked) {
            weft_settle(command, self);
            begin = weft_now(); /* do not count the time of copies as time of the kernel */
        }
        if (single)
            weft_run_chunk(command, self, 0);
        else
            done = run_chunks(self, command, begin);
    }
    atomic_store(&self->working, 0);
    if (!single) {
        weft_lock_acquire(&pool->lock);
        if (command->listed) {
            /* The thread that took the last chunk gets here before it subtracts it from `unfinished`, so a command is
             * never on the list when it ends. */
            if (weft_has_chunks(command)) {
                command->joined--;
                change(&pool->demand, 1);
            } else {
                unlist_command(pool, command);
            }
        }
        weft_lock_release(&pool->lock);
    }
    atomic_fetch_sub_explicit(&pool->active, 1, memory_order_relaxed);
    if (weft_is_stopping())
        return;
    if (single ||
        (done && atomic_fetch_sub_explicit(&command->unfinished, done, memory_order_acq_rel) == done)) {
        if (command->kind == KIND_NDRANGE) {
            uint64_t groups = single ? command->units : done * command->grain;
            weft_learn(command->function, weft_now() - begin, (double)groups * weft_items(&command->launch));
        }
        weft_complete(command, atomic_load(&command->error), self);
    }
    if (!single)
        weft_command_release(command);
}

/* Lists a command that is ready when it is enqueued. Workers are woken only if it is long: usually the host waits for
 * the command next, and runs it. */
void weft_push_enqueued(weft_command *command, bool urgent) {
    weft_pool *pool = command->pool;
    weft_wakes wakes = {0};
    weft_lock_acquire(&pool->lock);
    list_command(pool, command);
    if (urgent)
        weft_wake_for_demand(pool, &wakes, 0);
    if (!wakes.chosen)
        weft_ensure_watcher(pool, &wakes);
    weft_lock_release(&pool->lock);
    weft_apply_wakes(pool, &wakes);
}

static bool will_run(const weft_thread *self, const weft_command *command) {
    if (!self)
        return false;
    if (self->pool)
        return self->pool == command->pool;
    const weft_command *target = atomic_load_explicit(&self->target, memory_order_relaxed);
    return target && target->queue == command->queue && command->sequence <= target->sequence &&
           !leaves_to_workers(self, command->queue);
}

/* Lists commands whose last predecessor has ended. If `self` will look for work next, it will run one of them, so no
 * worker is woken for that one. */
void weft_push_released(weft_command *list, weft_thread *self) {
    while (list) {
        weft_pool *pool = list->pool;
        weft_wakes wakes = {0};
        uint32_t reserved = 0;
        weft_lock_acquire(&pool->lock);
        while (list && list->pool == pool) {
            weft_command *command = list;
            list = list->next;
            if (will_run(self, command))
                reserved = 1;
            list_command(pool, command);
        }
        weft_wake_for_demand(pool, &wakes, reserved);
        if (!wakes.chosen && !reserved)
            weft_ensure_watcher(pool, &wakes);
        weft_lock_release(&pool->lock);
        weft_apply_wakes(pool, &wakes);
    }
}

/* Wakes or starts workers for the current demand. */
static void request_workers(weft_pool *pool) {
    weft_wakes wakes = {0};
    if (!atomic_load_explicit(&pool->demand, memory_order_relaxed))
        return;
    weft_lock_acquire(&pool->lock);
    weft_wake_for_demand(pool, &wakes, 0);
    if (!wakes.chosen)
        weft_ensure_watcher(pool, &wakes);
    weft_lock_release(&pool->lock);
    weft_apply_wakes(pool, &wakes);
}

void weft_queue_flush(weft_queue *queue) {
    request_workers(queue->pool);
}

static bool run_something_for(weft_pool *pool, weft_thread *self, weft_command *target) {
    weft_wakes wakes = {0};
    weft_lock_acquire(&pool->lock);
    weft_command *command = claim_for(pool, self, target);
    if (command)
        weft_wake_for_demand(pool, &wakes, 0);
    weft_lock_release(&pool->lock);
    weft_apply_wakes(pool, &wakes);
    if (command)
        weft_participate(self, command);
    return command != NULL;
}

/* Sleeps until the command ends. Without workers, no thread wakes this one when a command becomes ready, so it must
 * poll. True if a signal has arrived. */
static bool sleep_until_ended(weft_command *command, bool interruptible) {
    uint64_t limit = !weft_pool_workers(command->pool) ? LOOK_NS : interruptible ? INTERRUPT_NS : 0;
    int result = 1;
    atomic_fetch_add(&command->sleepers, 1);
    uint32_t status = atomic_load(&command->status);
    if ((int32_t)status > 0 && !atomic_load(&weft_stopping))
        result = weft_futex_wait(&command->status, status, limit);
    atomic_fetch_sub(&command->sleepers, 1);
    return result < 0;
}

/* Whether a thread that is inside a command, in a signal handler, would wait for itself if it waited for `target`. A
 * server or simulator runs one command at a time. */
static bool is_blocked_by(const weft_command *inside, const weft_command *target) {
    const weft_pool *pool = inside->pool;
    return (pool == target->pool && (pool->remote || pool->simulation)) || weft_waits_for(target, inside);
}

static _Atomic uint64_t waits;

uint64_t weft_waits(void) {
    return atomic_load_explicit(&waits, memory_order_relaxed);
}

/* Waits for `target`. Meanwhile the thread runs it, and commands before it in its queue, if no other thread does.
 * Workers run the commands of other queues that it depends on; they are woken before this thread sleeps. Signal
 * handlers of a Python program may end the wait. */
int32_t weft_command_wait(weft_command *target) {
    int32_t status = weft_command_status(target);
    weft_pool *pool = target->pool;
    weft_queue *queue = target->queue;
    uint32_t turns = 0;
    atomic_fetch_add_explicit(&waits, 1, memory_order_relaxed);
    if (status <= 0)
        return status;
    weft_thread *self = weft_host_thread();
    weft_command *outer = NULL;
    bool interruptible = self && weft_interrupts_begin(self), was_interruptible = self && self->interruptible;
    /* If set, this is a wait in a signal handler, and the thread is inside a kernel, which uses its arenas. */
    const weft_command *inside = self ? atomic_load_explicit(&self->running, memory_order_relaxed) : NULL;
    if (inside && is_blocked_by(inside, target))
        return OUT_OF_RESOURCES;
    /* It runs nothing, so workers may have to. A handler may interrupt the wait of another one. */
    weft_thread *lender = inside && !self->lends_place ? self : NULL;
    if (lender) {
        lender->lends_place = true;
        atomic_fetch_sub(&inside->pool->active, 1);
    }
    if (inside)
        self = NULL;
    bool signalled = false, interrupted = false;
    uint32_t seen = weft_interrupts();
    if (self) {
        outer = atomic_load_explicit(&self->target, memory_order_relaxed);
        atomic_store_explicit(&self->target, target, memory_order_relaxed);
        self->interruptible = interruptible;
    }
    while ((status = weft_command_status(target)) > 0 && !weft_is_stopping()) {
        if (interruptible && (signalled || weft_interrupts() != seen)) {
            seen = weft_interrupts();
            signalled = false;
            bool left = self && atomic_exchange(&self->interrupted, 0);
            interrupted = left || weft_check_interrupts();
            if (interrupted && !left && pool->remote)
                weft_remote_interrupt(pool->remote, target);
            if (interrupted && !left && pool->simulation)
                weft_simulation_interrupt(pool->simulation, target);
            if (interrupted)
                break;
        }
        bool spin = weft_spin_on(pool, turns);
        if (self && (turns % 16 == 0 || !spin) && atomic_load_explicit(&pool->demand, memory_order_relaxed) &&
            run_something_for(pool, self, target)) {
            turns = 0;
            continue;
        }
        if (turns == 0 || !spin)
            request_workers(pool);
        if (spin)
            weft_pause();
        else
            signalled = sleep_until_ended(target, interruptible);
        turns++;
    }
    if (lender) {
        atomic_fetch_add(&inside->pool->active, 1);
        lender->lends_place = false;
    }
    if (self) {
        atomic_store_explicit(&self->target, outer, memory_order_relaxed);
        self->interruptible = was_interruptible;
        /* The thread may have left the kernel that it waited for, which has ended the command. */
        if (interruptible && atomic_load_explicit(&self->interrupted, memory_order_relaxed))
            interrupted = atomic_exchange(&self->interrupted, 0);
    }
    /* Workers must run the commands that this thread was expected to run. */
    if (queue && atomic_load_explicit(&queue->ready, memory_order_relaxed)) {
        weft_wakes wakes = {0};
        weft_lock_acquire(&pool->lock);
        if (atomic_load_explicit(&pool->demand, memory_order_relaxed) > pool->searching)
            weft_ensure_watcher(pool, &wakes);
        weft_lock_release(&pool->lock);
        weft_apply_wakes(pool, &wakes);
    }
    return interrupted ? WEFT_INTERRUPTED : status > 0 ? OUT_OF_RESOURCES : status;
}
