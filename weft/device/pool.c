/* The pool: which commands are ready, who runs them, and how a host thread waits. */
#include "internal.h"

#include <stdlib.h>

enum {
    HELPER_LOOKS = 16,   /* ready commands of its queue that a waiting host thread looks at */
    CALL_FOR_HELP_NS = 10000,
    LOOK_NS = 5000000,
    INTERRUPT_NS = 50000000, /* signals may be handled in other threads: the main thread looks that often */
    BUSY_SPIN_FACTOR = 16,
};

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
    /* In turns of some 40 cycles: a microsecond or two where cores are few, five where there are many. */
    pool->spin = pool->limit < 2 ? 0 : pool->limit < 4 ? 100 : 400;
    weft_lifecycle_add(pool);
    return pool;
}

uint32_t weft_pool_workers(weft_pool *pool) {
    return atomic_load_explicit(&pool->workers, memory_order_relaxed);
}

/* Whether to go on spinning: for a moment, and for longer while others run commands, because what they end
 * with is most often something to do. A sleep and a wake-up cost some 50 microseconds. */
bool weft_spin_on(weft_pool *pool, uint32_t turn) {
    if (turn < pool->spin)
        return true;
    return turn < pool->spin * BUSY_SPIN_FACTOR &&
           atomic_load_explicit(&pool->active, memory_order_relaxed) != 0;
}

/* In the child of a fork: no worker is left, and what was ready is lost. */
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

/* The next functions, up to the claims, want the lock held. */

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

/* Counts the calling thread into `command`. A command in one chunk is its alone from now on; one in many
 * may outlive or be outlived by the thread's part in it, so that the thread holds a reference. */
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
    /* Queues take turns. */
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

/* Whether a waiting host thread leaves commands to workers that Python finds valid copies for (settle.c). The thread that
 * Python runs handlers of signals in does: such a handler may wait for another command, and whoever ran that one would wait
 * for the lock that the interrupted thread has for its copies. */
static bool leaves_to_workers(const weft_thread *self, const weft_queue *queue) {
    return queue->settle && self->interruptible && weft_pool_workers(queue->pool);
}

/* A command that a thread waiting for `target` should run: the target, or one enqueued before it. */
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

/* Alone with a command that turns out to be long: asks for all the threads it can have. */
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

/* Runs chunks until none is left, or until a worker finds more threads at work than the pool should have. */
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

/* Does the calling thread's part of a command that it has claimed, and completes it if it is the last. */
void weft_participate(weft_thread *self, weft_command *command) {
    weft_pool *pool = command->pool;
    bool single = command->chunks == 1;
    uint64_t begin = weft_now();
    uint32_t done = 0;
    /* weft_stop sets its flag first and looks at `working` then. */
    atomic_store(&self->working, command->kind != KIND_NATIVE);
    if (!atomic_load(&weft_stopping)) {
        if (command->tracked) {
            weft_settle(command, self);
            begin = weft_now(); /* what copies take says nothing of the kernel */
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
            /* Whoever takes the last chunk comes by here before it counts it as done, so that a command
             * is never on the list when it ends. */
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

/* A command that is ready as soon as it is enqueued. No worker is woken for it unless it is long: most
 * often the host waits for it next, and runs it. */
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

/* Commands whose last predecessor has ended; `self`, if it is about to look for work, takes one of them. */
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

/* Has workers take up what is ready and wants threads. */
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

/* Where no worker could be started, nobody wakes this thread for what becomes ready: it has to look. True if a signal
 * came. */
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

static _Atomic uint64_t waits;

uint64_t weft_waits(void) {
    return atomic_load_explicit(&waits, memory_order_relaxed);
}

/* Waits for `target`, running it and what comes before it in its queue as far as nobody else does. What it
 * needs from other queues the workers run: they are woken for it before this thread sleeps.
 * Handlers of signals of a Python program may end the wait. */
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
    /* A handler of the program waits, in a thread that is inside a kernel and has its arenas in use. */
    const weft_command *inside = self ? atomic_load_explicit(&self->running, memory_order_relaxed) : NULL;
    if (inside && (inside == target || (inside->queue == queue && inside->sequence <= target->sequence)))
        return OUT_OF_RESOURCES; /* it would wait for itself */
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
    if (self) {
        atomic_store_explicit(&self->target, outer, memory_order_relaxed);
        self->interruptible = was_interruptible;
        /* It may have left the kernel that it waited for, which ended the command. */
        if (interruptible && atomic_load_explicit(&self->interrupted, memory_order_relaxed))
            interrupted = atomic_exchange(&self->interrupted, 0);
    }
    /* What this thread was expected to run next is the workers' now. */
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
