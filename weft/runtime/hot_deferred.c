/* Launches that Python has not validated before, enqueued by threads that must not wait for the GIL.
 *
 * C checks what it can and returns errors at once. For programs in SPIR-V, a builder process then prepares the launch
 * during the call (hot_elsewhere.c). Otherwise the command is enqueued with a copy of the arguments and with its event;
 * it waits for its code like for a preceding command. The thread `weft-prepare`, started here, lets Python prepare it
 * as soon as the GIL is free. If only Python finds an error, the event ends with it.
 *
 * A launch that waits to be prepared is counted in `deferred` of the kernel and in `events` of the queue, so that
 * neither is deleted before. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <signal.h>
#include <time.h>

enum {
    INVALID_WORK_DIMENSION = -53,
    INVALID_WORK_GROUP_SIZE = -54,
    INVALID_WORK_ITEM_SIZE = -55,
    INVALID_GLOBAL_OFFSET = -56
};
enum { PATIENCE_SECONDS = 10, STACK_BYTES = 16 << 20 };

typedef struct deferred {
    struct deferred *next;
    weft_hot_deferred launch;
} deferred;

/* All guarded by hot_lock. */
static deferred *first, *last; /* the list of waiting launches */
static bool is_taken;          /* the first launch of the list is being prepared */
static bool is_running;        /* the thread weft-prepare exists */
static bool is_inside;         /* weft-prepare is in Python */
static bool has_ended;         /* Python shuts down: no launch is accepted or prepared any more */
static bool is_woken;          /* weft-prepare must enter Python even if no launch waits */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* signals changes of these variables */

static int32_t check_local_size(const weft_hot_kernel *kernel, uint32_t work_dim, const size_t *global_size,
                                const size_t *local_size) {
    uint64_t items = 1;
    bool required = kernel->required_size[0] != 0, divides = true;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = i >= work_dim ? 1 : local_size ? local_size[i] : kernel->required_size[i];
        if (required && size != kernel->required_size[i])
            return INVALID_WORK_GROUP_SIZE;
        divides = divides && size && !((i < work_dim ? global_size[i] : 1) % size);
    }
    for (uint32_t i = 0; local_size && i < work_dim; i++) {
        if (local_size[i] > kernel->most_items[i])
            return INVALID_WORK_ITEM_SIZE;
        items = local_size[i] && items > UINT64_MAX / local_size[i] ? UINT64_MAX : items * local_size[i];
    }
    if (!items || items > kernel->most_group_items || (!divides && kernel->is_uniform))
        return INVALID_WORK_GROUP_SIZE;
    return SUCCESS;
}

static int32_t check_sizes(const weft_hot_kernel *kernel, uint32_t work_dim, const size_t *offset,
                           const size_t *global_size, const size_t *local_size) {
    uint64_t items = 1;
    for (uint32_t i = 0; i < work_dim; i++) {
        if (offset && offset[i] && global_size[i] > 0 - offset[i])
            return INVALID_GLOBAL_OFFSET;
        items = items > (UINT64_MAX >> 1) / global_size[i] ? UINT64_MAX : items * global_size[i];
    }
    if (items > UINT64_MAX >> 1 || kernel->local_bytes > kernel->most_local_bytes)
        return OUT_OF_RESOURCES;
    return local_size || kernel->required_size[0] ? check_local_size(kernel, work_dim, global_size, local_size) : SUCCESS;
}

static bool is_empty(uint32_t work_dim, const size_t *global_size) {
    for (uint32_t i = 0; global_size && i < work_dim; i++)
        if (!global_size[i])
            return true;
    return !global_size;
}

static int32_t check(const block *on, const block *target, const weft_hot_kernel *kernel, uint32_t work_dim,
                     const size_t *offset, const size_t *global_size, const size_t *local_size) {
    if (!on)
        return INVALID_QUEUE;
    if (!target)
        return INVALID_KERNEL;
    if (on->context != kernel->context)
        return INVALID_CONTEXT;
    if (work_dim < 1 || work_dim > 3)
        return INVALID_WORK_DIMENSION;
    int32_t code = hot_check_arguments(kernel);
    if (code || is_empty(work_dim, global_size))
        return code;
    return check_sizes(kernel, work_dim, offset, global_size, local_size);
}

/* Drops the references of a prepared launch to its kernel and queue, and deletes them if they were the last ones. The
 * caller must not hold the lock. */
static void count_down(const weft_hot_deferred *launch) {
    block *kernel = (block *)launch->kernel, *queue = (block *)launch->queue;
    bool pending = false;
    if (atomic_fetch_sub(&kernel->deferred, 1) == 1 && !atomic_load(&kernel->references) &&
        !hot_drop_unadopted(kernel, WEFT_HOT_KERNEL)) {
        hot_list_deletion(kernel, WEFT_HOT_KERNEL);
        pending = true;
    }
    if (atomic_fetch_sub(&queue->events, 1) == 1 && !atomic_load(&queue->references)) {
        hot_list_deletion(queue, WEFT_HOT_QUEUE);
        pending = true;
    }
    if (pending)
        hot_dispatch_pending();
}

uint32_t weft_hot_kernel_deferred(uintptr_t handle) {
    const block *target = hot_find(handle, WEFT_HOT_KERNEL);
    return target ? atomic_load(&target->deferred) : 0;
}

static void *prepare_all(void *unused) {
    (void)unused;
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "weft-prepare");
#endif
    pthread_mutex_lock(&hot_lock);
    while (!has_ended) {
        if (!first && !is_woken) {
            pthread_cond_wait(&changed, &hot_lock);
            continue;
        }
        is_inside = true;
        is_woken = false;
        pthread_mutex_unlock(&hot_lock);
        hot_prepare();
        pthread_mutex_lock(&hot_lock);
        is_inside = false;
        pthread_cond_broadcast(&changed);
    }
    is_running = false;
    pthread_mutex_unlock(&hot_lock);
    return NULL;
}

/* Starts weft-prepare unless it runs. All signals but faults are blocked in it, so signal handlers of the client do not
 * run there. The caller holds the lock. */
static void start_thread(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t blocked, old;
    if (is_running || pthread_attr_init(&attributes))
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&blocked);
    for (const int *fault = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, 0}; *fault; fault++)
        sigdelset(&blocked, *fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    is_running = pthread_create(&thread, &attributes, prepare_all, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
}

void hot_carry_out_soon(void) {
    pthread_mutex_lock(&hot_lock);
    if (!has_ended) {
        is_woken = true; /* each call that enters Python carries out pending work */
        start_thread();
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&hot_lock);
}

/* Appends a launch to the list, which owns it from then on; false: Python is shutting down. */
static bool list(deferred *made) {
    pthread_mutex_lock(&hot_lock);
    bool listed = !has_ended;
    if (listed) {
        *(first ? &last->next : &first) = made;
        last = made;
        start_thread();
        pthread_cond_broadcast(&changed);
    }
    bool posted = listed && !is_running;
    pthread_mutex_unlock(&hot_lock);
    if (posted) /* the thread could not be started: the notification thread prepares the launch */
        hot_pool.notify_post();
    return listed;
}

static int32_t enqueue_nothing(block *on, const hot_waits *wait, uint32_t count, block *event_block, uintptr_t *event) {
    command *started = hot_pool.enqueue_copy(atomic_load(&on->native), 0, 0, 0, wait->commands, count);
    return hot_enqueued(on, started, COMMAND_NDRANGE, event_block, event);
}

static void copy_sizes(weft_hot_key *key, uint32_t work_dim, const size_t *offset, const size_t *global_size,
                       const size_t *local_size) {
    *key = (weft_hot_key){.work_dim = work_dim};
    key->given = (local_size ? WEFT_HOT_LOCAL_SIZE : 0) | (offset ? WEFT_HOT_OFFSET : 0);
    for (uint32_t i = 0; i < work_dim; i++) {
        key->global_size[i] = global_size[i];
        key->local_size[i] = local_size ? local_size[i] : 0;
        key->offset[i] = offset ? offset[i] : 0;
    }
}

enum { AGAIN = 1 }; /* instead of an error code: a memory object has been released since the arguments were checked */

/* Lets a builder process prepare a launch and enqueues it; sets `code`. False, with nothing done, if no builder can. */
static bool start_prepared(block *on, uintptr_t queue, uintptr_t handle, const weft_hot_kernel *kernel, const weft_hot_key *key,
                           const hot_waits *wait, uint32_t count, block *event_block, uintptr_t *event, uint64_t epoch,
                           int32_t *code) {
    weft_hot_prepared prepared;
    bool are_disjoint = weft_hot_disjoint(kernel->arguments, kernel->argument_count);
    if (!kernel->is_spirv || !hot_prepare_elsewhere(kernel, key, are_disjoint, &prepared))
        return false;
    if (prepared.code) {
        if (event_block)
            hot_free_block(event_block);
        *code = prepared.code;
        return true;
    }
    command *started = hot_pool.enqueue_ndrange(atomic_load(&on->native), prepared.function, prepared.launch,
                                                (const void *)kernel->block, kernel->block_bytes, prepared.local_bytes,
                                                prepared.context_bytes, wait->commands, count,
                                                (const _Atomic uint64_t *)weft_hot_epoch_address(), epoch);
    if (!started && weft_hot_epoch() != epoch) {
        if (event_block)
            hot_free_block(event_block);
        *code = AGAIN;
        return true;
    }
    *code = hot_enqueued(on, started, COMMAND_NDRANGE, event_block, event);
    if (!*code && prepared.is_lasting)
        weft_hot_keep(handle, queue, key, prepared.layout, (int)prepared.requires_noalias, prepared.function, prepared.launch,
                      sizeof prepared.launch, prepared.local_bytes, prepared.context_bytes, prepared.ids);
    return true;
}

int32_t hot_defer(uintptr_t queue, uintptr_t handle, uint32_t work_dim, const size_t *offset,
                  const size_t *global_size, const size_t *local_size, uint32_t count, const uintptr_t *events,
                  uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE), *target = hot_find(handle, WEFT_HOT_KERNEL);
    const weft_hot_kernel *kernel = hot_find_kernel(handle);
    bool enters = kernel && kernel->is_spirv ? hot_is_alone() : hot_may_enter();
    if (enters || (target && (!kernel || !kernel->is_deferrable)))
        return PYTHON(enqueue_entry, enqueue_ndrange_kernel)(queue, handle, work_dim, offset, global_size, local_size,
                                                             count, events, event);
    hot_waits wait = {.commands = wait.few};
    uint64_t epoch = weft_hot_epoch();
    int32_t code = check(on, target, kernel, work_dim, offset, global_size, local_size);
    if (!code)
        code = hot_find_waits(on, count, events, &wait);
    if (code)
        return code;
    block *event_block = event ? hot_take_block() : NULL;
    deferred *launch = malloc(sizeof *launch);
    weft_hot_key key;
    if (!launch || (event && !event_block)) {
        code = hot_enqueued(on, NULL, COMMAND_NDRANGE, event_block, event);
    } else if (is_empty(work_dim, global_size)) {
        code = enqueue_nothing(on, &wait, count, event_block, event);
    } else if (copy_sizes(&key, work_dim, offset, global_size, local_size),
               !start_prepared(on, queue, handle, kernel, &key, &wait, count, event_block, event, epoch, &code)) {
        *launch = (deferred){.launch = {.kernel = handle, .queue = queue, .key = key, .local_bytes = kernel->local_bytes,
                                        .layout = __atomic_load_n(&kernel->layout, __ATOMIC_ACQUIRE)}};
        launch->launch.are_disjoint = weft_hot_disjoint(kernel->arguments, kernel->argument_count);
        command *started = hot_pool.enqueue_deferred(atomic_load(&on->native), kernel->block, kernel->block_bytes,
                                                     wait.commands, count,
                                                     (const _Atomic uint64_t *)weft_hot_epoch_address(), epoch);
        launch->launch.command = (uintptr_t)started;
        if (started) {
            atomic_fetch_add(&target->deferred, 1);
            atomic_fetch_add(&on->events, 1);
            code = hot_enqueued(on, started, COMMAND_NDRANGE, event_block, event);
            if (list(launch)) {
                launch = NULL;
            } else {
                hot_pool.deferred_fail(started, OUT_OF_RESOURCES);
                count_down(&launch->launch);
            }
        } else if (weft_hot_epoch() != epoch) {
            if (event_block)
                hot_free_block(event_block);
            code = AGAIN;
        } else {
            code = hot_enqueued(on, NULL, COMMAND_NDRANGE, event_block, event);
        }
    }
    free(launch);
    hot_free_waits(&wait);
    if (code == AGAIN)
        return hot_defer(queue, handle, work_dim, offset, global_size, local_size, count, events, event);
    return code;
}

/* Removes and returns the first launch of the list. The caller holds the lock. */
static deferred *take_first(void) {
    deferred *taken = first;
    if (taken)
        first = taken->next;
    return taken;
}

int weft_hot_next_deferred(weft_hot_deferred *next) {
    pthread_mutex_lock(&hot_lock);
    deferred *done = is_taken ? take_first() : NULL;
    is_taken = !has_ended && first;
    if (is_taken)
        *next = first->launch;
    bool found = is_taken;
    pthread_mutex_unlock(&hot_lock);
    if (done) {
        count_down(&done->launch);
        free(done);
    }
    return found;
}

bool hot_has_deferred(void) {
    pthread_mutex_lock(&hot_lock);
    bool found = first != NULL;
    pthread_mutex_unlock(&hot_lock);
    return found;
}

int weft_hot_nobody_prepares(void) {
    pthread_mutex_lock(&hot_lock);
    bool nobody = first && !is_running;
    pthread_mutex_unlock(&hot_lock);
    return nobody;
}

void weft_hot_end_deferred(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&hot_lock);
    has_ended = true;
    pthread_cond_broadcast(&changed);
    deferred *waiting = first ? first->next : NULL;
    if (first && !is_taken) {
        waiting = first;
        first = NULL;
    } else if (first) {
        first->next = NULL;
        last = first;
    }
    while (is_inside && !pthread_cond_timedwait(&changed, &hot_lock, &end)) {
    }
    pthread_mutex_unlock(&hot_lock);
    while (waiting) {
        deferred *dropped = waiting;
        waiting = dropped->next;
        hot_pool.deferred_fail((command *)dropped->launch.command, OUT_OF_RESOURCES);
        count_down(&dropped->launch);
        free(dropped);
    }
}

/* In the child of a fork: the waiting commands and the thread weft-prepare exist only in the parent. */
void hot_forget_deferred(void) {
    for (deferred *dropped; (dropped = take_first());) {
        atomic_fetch_sub(&((block *)dropped->launch.kernel)->deferred, 1);
        atomic_fetch_sub(&((block *)dropped->launch.queue)->events, 1);
        free(dropped);
    }
    is_taken = is_running = is_inside = is_woken = false;
    pthread_cond_init(&changed, NULL);
}
