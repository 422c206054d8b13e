/* Queues: they determine the predecessors of commands.
 *
 * In an in-order queue each command waits for the previous one. In an out-of-order queue a command waits for its wait
 * list and for the latest barrier. A marker, barrier or finish without a wait list waits for a gate: an internal
 * command that depends on every command since the previous gate. A gate costs one edge per command, and no list of
 * outstanding commands is needed.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of edges that the queue adds to those of the wait list: from the barrier and from the closed gate. */
enum { QUEUE_EDGES = 2 };

weft_queue *weft_queue_new(weft_pool *pool, int out_of_order, int profiling) {
    weft_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    atomic_init(&queue->references, 1);
    queue->generation = weft_current_generation();
    queue->pool = pool;
    queue->out_of_order = out_of_order != 0;
    queue->profiling = profiling != 0;
    return queue;
}

void weft_queue_unreference(weft_queue *queue) {
    if (atomic_fetch_sub_explicit(&queue->references, 1, memory_order_acq_rel) == 1)
        free(queue);
}

void weft_queue_track(weft_queue *queue, uintptr_t function, uint64_t memories) {
    queue->settle = (weft_settle_function *)function;
    queue->memories = memories;
}

static weft_lock fork_lock;

/* Resets a queue in the child of a fork: its lock may have been held, and its commands are lost. */
static void renew(weft_queue *queue) {
    weft_lock_acquire(&fork_lock);
    if (queue->generation != weft_current_generation()) {
        queue->tail = queue->gate = queue->closed = queue->barrier = NULL;
        queue->first = queue->last = NULL;
        queue->next = queue->previous = NULL;
        queue->listed = false;
        atomic_store(&queue->ready, 0);
        atomic_store(&queue->failure, 0);
        atomic_store(&queue->lock.state, 0);
        __atomic_store_n(&queue->generation, weft_current_generation(), __ATOMIC_RELEASE);
    }
    weft_lock_release(&fork_lock);
}

static void lock_queue(weft_queue *queue) {
    if (__atomic_load_n(&queue->generation, __ATOMIC_ACQUIRE) != weft_current_generation())
        renew(queue);
    weft_lock_acquire(&queue->lock);
}

void weft_queues_reset(void) {
    atomic_store(&fork_lock.state, 0);
}

int weft_queue_used(weft_queue *queue) {
    lock_queue(queue);
    bool used = queue->sequence != 0;
    weft_lock_release(&queue->lock);
    return used;
}

static void replace(weft_command **place, weft_command *command) {
    weft_command *old = *place;
    if (command)
        weft_command_retain(command);
    *place = command;
    if (old)
        weft_command_release(old);
}

/* Releases the reference of the creator. Enqueued commands still run, but no more can be enqueued. */
void weft_queue_release(weft_queue *queue) {
    lock_queue(queue);
    weft_command *gate = queue->gate;
    queue->gate = NULL;
    replace(&queue->tail, NULL);
    replace(&queue->closed, NULL);
    replace(&queue->barrier, NULL);
    weft_lock_release(&queue->lock);
    if (gate) {
        weft_drop_pending(gate, false);
        weft_command_release(gate);
    }
    weft_queue_unreference(queue);
}

/* Opens a gate if none is open. The caller holds the lock. */
static bool open_gate(weft_queue *queue) {
    if (queue->gate)
        return true;
    queue->gate = weft_command_new(KIND_NOTHING, queue->pool, NULL, NULL, NULL, 0, 0);
    if (!queue->gate)
        return false;
    if (queue->closed)
        weft_add_edge(queue->closed, queue->gate, &queue->closed->successor, false);
    return true;
}

/* Closes the open gate, which becomes queue->closed, and returns it; the caller must call weft_drop_pending for it
 * after releasing the lock. The caller holds the lock. */
static weft_command *close_gate(weft_queue *queue) {
    weft_command *gate = queue->gate;
    queue->gate = NULL;
    if (gate) {
        if (queue->closed)
            weft_command_release(queue->closed);
        queue->closed = gate;
    }
    return gate;
}

enum { PLAIN = 0, WAITS_FOR_ALL = 1, IS_BARRIER = 2 };

/* Adds edges to `command` from its wait list and its predecessors in the queue, and drops its initial pending
 * predecessor, so it may run. NULL if `command` is NULL, or if `*word` is not `value` (pool.h): the command is deleted. */
static weft_command *enqueue_while(weft_queue *queue, weft_command *command, weft_command *const *wait,
                                   uint32_t wait_count, int role, bool urgent, const uint64_t *word, uint64_t value) {
    if (!command)
        return NULL;
    weft_edge *edge = command->edges;
    weft_command *gate = NULL;
    lock_queue(queue);
    if (word && __atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
        weft_lock_release(&queue->lock);
        atomic_store(&command->references, 1);
        weft_command_release(command);
        return NULL;
    }
    for (uint32_t i = 0; i < wait_count; i++)
        weft_add_edge(wait[i], command, edge++, true);
    command->sequence = ++queue->sequence;
    if (!queue->out_of_order) {
        if (queue->tail)
            weft_add_edge(queue->tail, command, &queue->tail->successor, false);
        replace(&queue->tail, command);
    } else {
        if (role & WAITS_FOR_ALL) {
            gate = close_gate(queue);
            if (queue->closed)
                weft_add_edge(queue->closed, command, edge++, false);
        }
        if (queue->barrier)
            weft_add_edge(queue->barrier, command, edge++, false);
        if (!open_gate(queue)) {
            /* Out of memory. Without a gate no marker could wait for the command, so it fails. */
            atomic_store(&command->error, OUT_OF_RESOURCES);
            weft_tell_failure(command, "out of memory for the order of its queue");
        } else {
            weft_add_edge(command, queue->gate, &command->successor, false);
        }
        if (role & IS_BARRIER)
            replace(&queue->barrier, command);
    }
    weft_lock_release(&queue->lock);
    if (gate)
        weft_drop_pending(gate, false);
    weft_drop_pending(command, urgent);
    return command;
}

static weft_command *enqueue(weft_queue *queue, weft_command *command, weft_command *const *wait, uint32_t wait_count,
                             int role, bool urgent) {
    return enqueue_while(queue, command, wait, wait_count, role, urgent, NULL, 0);
}

static weft_command *new_command(weft_kind kind, weft_queue *queue, const weft_plan *plan, const void *args,
                                 size_t args_bytes, uint32_t wait_count) {
    uint32_t edges = wait_count + (queue->out_of_order ? QUEUE_EDGES : 0);
    return weft_command_new(kind, queue->pool, queue, plan, args, args_bytes, edges);
}

static weft_plan plan_launch(const weft_pool *pool, uintptr_t function, const weft_launch *launch) {
    uint64_t groups = launch->num_groups[0] * launch->num_groups[1] * launch->num_groups[2];
    /* The server or simulator runs all groups, so the launch is one chunk. Usually the host waits next and starts it; a
     * worker woken for that would only compete for the processor. */
    if (pool->remote || pool->simulation)
        return (weft_plan){groups, groups, groups != 0, 0, 1, false};
    return weft_make_plan(pool, groups, weft_item_ns(function) * weft_items(launch), 1);
}

static void set_launch(weft_command *command, uintptr_t function, const weft_launch *launch, size_t local_bytes,
                       size_t context_bytes) {
    command->function = function;
    command->local_bytes = local_bytes;
    command->context_bytes = context_bytes;
    command->launch = *launch;
    command->launch.local_bytes = local_bytes;
}

/* The following functions create commands with work. They set `urgent` if workers should be woken at the enqueue. */
static weft_command *make_ndrange(weft_queue *queue, uintptr_t function, const weft_launch *launch, const void *args,
                                  size_t args_bytes, size_t local_bytes, size_t context_bytes, uint32_t wait_count,
                                  bool *urgent) {
    weft_plan plan = plan_launch(queue->pool, function, launch);
    weft_command *command = new_command(KIND_NDRANGE, queue, &plan, args, args_bytes, wait_count);
    if (command)
        set_launch(command, function, launch, local_bytes, context_bytes);
    *urgent = plan.urgent;
    return command;
}

/* Estimates: copies run at about 8 bytes per nanosecond, and a row costs about 20 ns in addition to its bytes. Pieces
 * below 256 KiB are not worth another thread. */
static const double BYTE_NS = 0.125, ROW_NS = 20;
enum { LEAST_PIECE = 256 * 1024 };

static weft_command *make_copy(weft_queue *queue, uintptr_t dst, uintptr_t src, size_t nbytes, uint32_t wait_count,
                               bool *urgent) {
    bool overlapping = dst < src ? src - dst < nbytes : dst - src < nbytes;
    weft_plan plan = weft_make_plan(queue->pool, nbytes, BYTE_NS, overlapping ? nbytes : LEAST_PIECE);
    weft_command *command = new_command(KIND_COPY, queue, &plan, NULL, 0, wait_count);
    if (command) {
        command->dst = dst;
        command->src = src;
    }
    *urgent = plan.urgent;
    return command;
}

static weft_command *make_copy_rect(weft_queue *queue, uintptr_t dst, uintptr_t src, const weft_rect *rect,
                                    uint32_t wait_count, bool *urgent) {
    uint64_t row = rect->region[0], rows = row ? rect->region[1] * rect->region[2] : 0;
    weft_plan plan = weft_make_plan(queue->pool, rows, (double)row * BYTE_NS + ROW_NS,
                                    row ? 1 + LEAST_PIECE / row : 1);
    weft_command *command = new_command(KIND_COPY_RECT, queue, &plan, NULL, 0, wait_count);
    if (command) {
        command->dst = dst;
        command->src = src;
        command->rect = *rect;
    }
    *urgent = plan.urgent;
    return command;
}

static weft_command *make_fill(weft_queue *queue, uintptr_t dst, const void *pattern, size_t pattern_bytes,
                               size_t nbytes, uint32_t wait_count, bool *urgent) {
    *urgent = false;
    if (pattern_bytes == 0 || pattern_bytes > MAX_PATTERN)
        return NULL;
    weft_plan plan = weft_make_plan(queue->pool, nbytes / pattern_bytes, (double)pattern_bytes * BYTE_NS,
                                    LEAST_PIECE / pattern_bytes);
    weft_command *command = new_command(KIND_FILL, queue, &plan, NULL, 0, wait_count);
    if (command) {
        command->dst = dst;
        command->args_bytes = pattern_bytes;
        memcpy(command->pattern, pattern, pattern_bytes);
    }
    *urgent = plan.urgent;
    return command;
}

weft_command *weft_enqueue_ndrange(weft_queue *queue, uintptr_t function, const weft_launch *launch,
                                   const void *args, size_t args_bytes, size_t local_bytes,
                                   size_t context_bytes, weft_command *const *wait, uint32_t wait_count,
                                   const uint64_t *word, uint64_t value) {
    bool urgent;
    weft_command *command = make_ndrange(queue, function, launch, args, args_bytes, local_bytes, context_bytes,
                                         wait_count, &urgent);
    return enqueue_while(queue, command, wait, wait_count, PLAIN, urgent, word, value);
}

/* The command gets an additional pending predecessor and reference. weft_deferred_start and weft_deferred_fail drop
 * both. */
weft_command *weft_enqueue_deferred(weft_queue *queue, const void *args, size_t args_bytes, weft_command *const *wait,
                                    uint32_t wait_count, const uint64_t *word, uint64_t value) {
    weft_plan most = {.slots = MAX_SLOTS};
    weft_command *command = new_command(KIND_NDRANGE, queue, &most, args, args_bytes, wait_count);
    if (command) {
        atomic_fetch_add_explicit(&command->pending, 1, memory_order_relaxed);
        weft_command_retain(command);
    }
    return enqueue_while(queue, command, wait, wait_count, PLAIN, false, word, value);
}

void weft_deferred_start(weft_command *command, uintptr_t function, const weft_launch *launch, size_t local_bytes,
                         size_t context_bytes) {
    /* In the child of a fork, a command of the parent never runs. */
    if (command->generation == weft_current_generation()) {
        weft_plan plan = plan_launch(command->pool, function, launch);
        set_launch(command, function, launch, local_bytes, context_bytes);
        weft_fill_slots(command, &plan);
        weft_drop_pending(command, plan.urgent);
    }
    weft_command_release(command);
}

void weft_deferred_fail(weft_command *command, int32_t status) {
    if (command->generation == weft_current_generation()) {
        weft_fail(command, status);
        atomic_store(&command->queue->failure, OUT_OF_RESOURCES);
        weft_drop_pending(command, false);
    }
    weft_command_release(command);
}

weft_command *weft_enqueue_copy(weft_queue *queue, uintptr_t dst, uintptr_t src, size_t nbytes,
                                weft_command *const *wait, uint32_t wait_count) {
    bool urgent;
    weft_command *command = make_copy(queue, dst, src, nbytes, wait_count, &urgent);
    return enqueue(queue, command, wait, wait_count, PLAIN, urgent);
}

weft_command *weft_enqueue_copy_rect(weft_queue *queue, uintptr_t dst, uintptr_t src, const weft_rect *rect,
                                     weft_command *const *wait, uint32_t wait_count) {
    bool urgent;
    weft_command *command = make_copy_rect(queue, dst, src, rect, wait_count, &urgent);
    return enqueue(queue, command, wait, wait_count, PLAIN, urgent);
}

weft_command *weft_enqueue_fill(weft_queue *queue, uintptr_t dst, const void *pattern, size_t pattern_bytes,
                                size_t nbytes, weft_command *const *wait, uint32_t wait_count) {
    bool urgent;
    weft_command *command = make_fill(queue, dst, pattern, pattern_bytes, nbytes, wait_count, &urgent);
    return enqueue(queue, command, wait, wait_count, PLAIN, urgent);
}

weft_command *weft_enqueue_native(weft_queue *queue, uintptr_t function, const void *args, size_t args_bytes,
                                  weft_command *const *wait, uint32_t wait_count) {
    weft_plan plan = weft_make_plan(queue->pool, 1, 0, 1);
    weft_command *command = new_command(KIND_NATIVE, queue, &plan, args, args_bytes, wait_count);
    if (command)
        command->function = function;
    return enqueue(queue, command, wait, wait_count, PLAIN, false);
}

weft_command *weft_enqueue_migrate(weft_queue *queue, uintptr_t address, size_t nbytes, uint32_t mode,
                                   weft_command *const *wait, uint32_t wait_count) {
    weft_plan plan = weft_make_plan(queue->pool, 1, 0, 1);
    weft_command *command = new_command(KIND_MIGRATE, queue, &plan, NULL, 0, wait_count);
    if (command) {
        command->dst = address;
        command->src = nbytes;
        command->function = mode;
    }
    return enqueue(queue, command, wait, wait_count, PLAIN, false);
}

weft_command *weft_enqueue_marker(weft_queue *queue, weft_command *const *wait, uint32_t wait_count) {
    weft_command *command = new_command(KIND_NOTHING, queue, NULL, NULL, 0, wait_count);
    return enqueue(queue, command, wait, wait_count, wait_count ? PLAIN : WAITS_FOR_ALL, false);
}

weft_command *weft_enqueue_barrier(weft_queue *queue, weft_command *const *wait, uint32_t wait_count) {
    weft_command *command = new_command(KIND_NOTHING, queue, NULL, NULL, 0, wait_count);
    int role = IS_BARRIER | (wait_count ? PLAIN : WAITS_FOR_ALL);
    return enqueue(queue, command, wait, wait_count, role, false);
}

static weft_command *make_recorded(weft_queue *queue, const weft_record *record, uint32_t wait_count, bool *urgent) {
    switch (record->kind) {
    case WEFT_RECORD_NDRANGE:
        return make_ndrange(queue, record->function, record->launch, record->args, record->args_bytes,
                            record->local_bytes, record->context_bytes, wait_count, urgent);
    case WEFT_RECORD_COPY:
        return make_copy(queue, record->dst, record->src, record->nbytes, wait_count, urgent);
    case WEFT_RECORD_COPY_RECT:
        return make_copy_rect(queue, record->dst, record->src, record->rect, wait_count, urgent);
    case WEFT_RECORD_FILL:
        return make_fill(queue, record->dst, record->args, record->args_bytes, record->nbytes, wait_count, urgent);
    default: /* an empty copy, because a marker without a wait list would wait for the whole queue */
        return make_copy(queue, 0, 0, 0, wait_count, urgent);
    }
}

/* Appends commands, whose initial pending predecessors have not been dropped, to an in-order queue, with no other
 * command in between. */
static void enqueue_chain(weft_queue *queue, weft_command *const *commands, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        weft_add_edge(commands[i - 1], commands[i], &commands[i - 1]->successor, false);
    lock_queue(queue);
    for (uint32_t i = 0; i < count; i++)
        commands[i]->sequence = ++queue->sequence;
    if (queue->tail)
        weft_add_edge(queue->tail, commands[0], &queue->tail->successor, false);
    replace(&queue->tail, commands[count - 1]);
    weft_lock_release(&queue->lock);
}

weft_command *weft_replay(weft_queue *queue, const weft_record *records, uint32_t count, weft_command *const *wait,
                          uint32_t wait_count, int event) {
    uint32_t most = 1, made = 0;
    for (uint32_t i = 0; i < count; i++)
        most = records[i].wait_count >= most ? records[i].wait_count + 1 : most;
    /* One allocation: the commands; the wait list of the current command, which starts with `first` if there is one; a
     * flag `urgent` for each command. */
    weft_command **commands = malloc(((size_t)count + most) * sizeof *commands + count);
    weft_command *first = NULL, *last = NULL;
    if (!commands)
        return NULL;
    weft_command **list = commands + count;
    bool *urgent = (bool *)(list + most);
    if (wait_count) {
        first = list[0] = weft_enqueue_marker(queue, wait, wait_count);
        if (!first)
            goto out;
    }
    for (; made < count; made++) {
        uint32_t waits = first != NULL;
        for (uint32_t i = 0; i < records[made].wait_count; i++)
            list[waits++] = commands[records[made].waits[i]];
        weft_command *command = commands[made] = make_recorded(queue, &records[made], waits, &urgent[made]);
        if (!command)
            break;
        if (queue->out_of_order)
            enqueue(queue, command, list, waits, PLAIN, urgent[made]);
        else
            for (uint32_t i = 0; i < waits; i++)
                weft_add_edge(list[i], command, &command->edges[i], true);
    }
    if (made && !queue->out_of_order) {
        enqueue_chain(queue, commands, made);
        for (uint32_t i = 0; i < made; i++)
            weft_drop_pending(commands[i], urgent[i]);
    }
    if (made < count)
        goto out;
    if (!count)
        last = weft_enqueue_copy(queue, 0, 0, 0, list, first != NULL);
    else if (event)
        last = weft_enqueue_marker(queue, commands, count);
    else
        weft_command_retain(last = commands[count - 1]);
out:
    for (uint32_t i = 0; i < made; i++)
        weft_command_release(commands[i]);
    if (first)
        weft_command_release(first);
    free(commands);
    return last;
}

int32_t weft_queue_finish(weft_queue *queue) {
    weft_command *last = NULL;
    if (queue->out_of_order) {
        last = weft_enqueue_marker(queue, NULL, 0);
    } else {
        lock_queue(queue);
        last = queue->tail;
        if (last)
            weft_command_retain(last);
        weft_lock_release(&queue->lock);
    }
    if (last) {
        int32_t ended = weft_command_wait(last);
        if (ended == WEFT_INTERRUPTED) {
            weft_command_release(last);
            return ended;
        }
        bool unfinished = (int32_t)atomic_load(&last->status) > 0;
        weft_command_release(last);
        /* A command is left unfinished only when the pool has been stopped. */
        if (unfinished)
            return OUT_OF_RESOURCES;
    } else if (queue->out_of_order) {
        return OUT_OF_RESOURCES;
    }
    return 0;
}

int32_t weft_queue_take_failure(weft_queue *queue) {
    if (atomic_load_explicit(&queue->failure, memory_order_relaxed) == 0)
        return 0;
    return atomic_exchange(&queue->failure, 0);
}
