/* Commands other than launches: markers, barriers, copies, command buffers; flushing and finishing a queue. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <sched.h>

enum { COMMAND_MARKER = 0x11FE, COMMAND_BARRIER = 0x1205, COMMAND_SVM_MEMCPY = 0x120A, COMMAND_MEMCPY_INTEL = 0x4205 };
enum { COMMAND_SVM_MEMFILL = 0x120B, COMMAND_MEMFILL_INTEL = 0x4204, COPY_OVERLAP = -8 };
enum { COMMAND_COMMAND_BUFFER = 0x12A8, COMMAND_MIGRATE_INTEL = 0x4206, COMMAND_ADVISE_INTEL = 0x4207 };

int32_t hot_find_waits(const block *queue, uint32_t count, const uintptr_t *events, hot_waits *found) {
    found->commands = found->few;
    if (!count != !events)
        return INVALID_WAIT_LIST;
    for (uint32_t i = 0; i < count; i++) {
        const block *event = hot_find(events[i], WEFT_HOT_EVENT);
        if (!event)
            return INVALID_WAIT_LIST;
        if (event->context != queue->context)
            return INVALID_CONTEXT;
    }
    if (count > MOST_WAITS && !(found->commands = malloc(count * sizeof *found->commands)))
        return OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        found->commands[i] = (command *)atomic_load(&((const block *)events[i])->native);
    return SUCCESS;
}

/* Finishes an enqueue. `event_block` is a new block for the event if the client wants one, else NULL; it takes over the
 * reference to the command `started`. If `started` is NULL, the enqueue has failed and the block is freed. */
int32_t hot_enqueued(block *on, command *started, uint32_t type, block *event_block, uintptr_t *event) {
    if (!started) {
        if (event_block)
            hot_free_block(event_block);
        return OUT_OF_HOST_MEMORY;
    }
    if (!event_block) {
        hot_pool.command_release(started);
        return SUCCESS;
    }
    event_block->queue = on;
    event_block->context = on->context;
    event_block->type = type;
    atomic_store_explicit(&event_block->adopted, 0, memory_order_relaxed);
    atomic_fetch_add(&on->events, 1);
    atomic_store_explicit(&event_block->native, (uintptr_t)started, memory_order_relaxed);
    weft_hot_bind((uintptr_t)event_block, WEFT_HOT_EVENT);
    *event = (uintptr_t)event_block;
    return SUCCESS;
}

int32_t hot_enqueued_and_awaited(block *on, command *started, uint32_t type, block *event_block, uintptr_t *event, bool blocking) {
    if (!started || !blocking)
        return hot_enqueued(on, started, type, event_block, event);
    hot_pool.queue_flush(atomic_load(&on->native));
    void *state = hot_release_gil();
    bool is_interrupted = hot_pool.command_wait(started) == INTERRUPTED;
    hot_reacquire_gil(state);
    /* The thread cannot wait for the command in a signal handler that interrupted an earlier one. When the call returns,
     * the client may free the memory that the command reads or writes. */
    if (is_interrupted || hot_pool.command_status(started) > 0)
        hot_pool.command_cancel(started);
    bool has_failed = !is_interrupted && hot_pool.command_status(started) < 0;
    int32_t code = hot_enqueued(on, started, type, event_block, event);
    /* What it transferred is wrong if a kernel before it failed. */
    has_failed = has_failed || (!is_interrupted && hot_pool.queue_take_failure(atomic_load(&on->native)));
    return is_interrupted ? hot_interrupted() : has_failed ? FAILED_EVENTS : code;
}

void weft_hot_bind_sequence(uintptr_t handle, const weft_hot_sequence *sequence) {
    block *target = (block *)handle;
    atomic_store(&target->native, (uintptr_t)sequence);
    /* Threads in hot_enqueue_buffer may still replay the old sequence, which takes microseconds and never blocks. A
     * thread that increments `users` after this load reads the new sequence: it loads `native` after the increment, and
     * all of these accesses are sequentially consistent. */
    while (atomic_load(&target->users))
        sched_yield();
}

int32_t hot_enqueue_buffer(uint32_t num_queues, const uintptr_t *queues, uintptr_t handle, uint32_t count,
                                  const uintptr_t *events, uintptr_t *event) {
    typedef int32_t buffer_entry(uint32_t num_queues, const uintptr_t *queues, uintptr_t buffer, uint32_t count,
                                 const uintptr_t *events, uintptr_t *event);
    block *buffer = num_queues || queues ? NULL : hot_find(handle, WEFT_HOT_COMMAND_BUFFER), *on = NULL, *event_block = NULL;
    command *started = NULL;
    hot_waits wait = {.commands = wait.few};
    if (buffer) {
        atomic_fetch_add(&buffer->users, 1); /* before `native` is loaded: the sequence stays valid until the decrement */
        const weft_hot_sequence *sequence = (const weft_hot_sequence *)atomic_load(&buffer->native);
        on = sequence ? hot_find(sequence->queue, WEFT_HOT_QUEUE) : NULL;
        on = on && !hot_find_waits(on, count, events, &wait) && (!event || (event_block = hot_take_block())) ? on : NULL;
        if (on)
            started = hot_pool.replay(atomic_load(&on->native), sequence->records, sequence->count, wait.commands, count,
                                      event != NULL);
        hot_free_waits(&wait);
        atomic_fetch_sub(&buffer->users, 1);
    }
    if (!on)
        return PYTHON(buffer_entry, enqueue_command_buffer_khr)(num_queues, queues, handle, count, events, event);
    return hot_enqueued(on, started, COMMAND_COMMAND_BUFFER, event_block, event);
}

static int32_t hot_marker_or_barrier(marker_function *enqueue, uint32_t type, marker_entry *python_entry,
                                     uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    hot_waits wait;
    int32_t code = on ? hot_find_waits(on, count, events, &wait) : INVALID_QUEUE;
    if (code)
        return hot_may_enter() ? python_entry(queue, count, events, event) : code;
    block *event_block = event ? hot_take_block() : NULL;
    command *started = event && !event_block ? NULL : enqueue(atomic_load(&on->native), wait.commands, count);
    hot_free_waits(&wait);
    return hot_enqueued(on, started, type, event_block, event);
}

int32_t hot_marker(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_marker_or_barrier(hot_pool.enqueue_marker, COMMAND_MARKER,
                                 PYTHON(marker_entry, enqueue_marker_with_wait_list), queue, count, events, event);
}

int32_t hot_barrier(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_marker_or_barrier(hot_pool.enqueue_barrier, COMMAND_BARRIER,
                                 PYTHON(marker_entry, enqueue_barrier_with_wait_list), queue, count, events, event);
}

/* A blocking copy of a thread that is alone enters Python, where a signal handler can end it. */
static int32_t hot_copy(uint32_t type, copy_entry *python_entry, uintptr_t queue, uint32_t blocking, uintptr_t to,
                        uintptr_t from, size_t size, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    hot_waits wait = {.commands = wait.few};
    bool overlapping = to < from ? from - to < size : to - from < size;
    int32_t code = on ? hot_find_waits(on, count, events, &wait) : INVALID_QUEUE;
    if (!code)
        code = !to || !from ? INVALID_VALUE : overlapping ? COPY_OVERLAP : SUCCESS;
    if (code ? hot_may_enter() : blocking && hot_is_alone()) {
        hot_free_waits(&wait);
        return python_entry(queue, blocking, to, from, size, count, events, event);
    }
    block *event_block = !code && event ? hot_take_block() : NULL;
    command *started = code || (event && !event_block)
                           ? NULL
                           : hot_pool.enqueue_copy(atomic_load(&on->native), to, from, size, wait.commands, count);
    hot_free_waits(&wait);
    if (code)
        return code;
    return hot_enqueued_and_awaited(on, started, type, event_block, event, blocking);
}

int32_t hot_svm_memcpy(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                              uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_copy(COMMAND_SVM_MEMCPY, PYTHON(copy_entry, enqueue_svm_memcpy), queue, blocking, to, from, size, count,
                    events, event);
}

int32_t hot_memcpy_intel(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                                uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_copy(COMMAND_MEMCPY_INTEL, PYTHON(copy_entry, enqueue_memcpy_intel), queue, blocking, to, from, size,
                    count, events, event);
}

static int32_t hot_fill(uint32_t type, fill_entry *python_entry, uintptr_t queue, uintptr_t to, const void *pattern,
                        size_t pattern_size, size_t size, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    enum { LARGEST_PATTERN = 128 };
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    hot_waits wait = {.commands = wait.few};
    bool valid = to && pattern && pattern_size && pattern_size <= LARGEST_PATTERN &&
                 !(pattern_size & (pattern_size - 1)) && !(to % pattern_size) && !(size % pattern_size);
    int32_t code = on ? hot_find_waits(on, count, events, &wait) : INVALID_QUEUE;
    if (!code && !valid)
        code = INVALID_VALUE;
    block *event_block = !code && event ? hot_take_block() : NULL;
    command *started = code || (event && !event_block) ? NULL
                                                : hot_pool.enqueue_fill(atomic_load(&on->native), to, pattern,
                                                                        pattern_size, size, wait.commands, count);
    hot_free_waits(&wait);
    if (code)
        return hot_may_enter() ? python_entry(queue, to, pattern, pattern_size, size, count, events, event) : code;
    return hot_enqueued(on, started, type, event_block, event);
}

int32_t hot_svm_fill(uintptr_t queue, uintptr_t to, const void *pattern, size_t pattern_size, size_t size,
                     uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_fill(COMMAND_SVM_MEMFILL, PYTHON(fill_entry, enqueue_svm_mem_fill), queue, to, pattern, pattern_size,
                    size, count, events, event);
}

int32_t hot_fill_intel(uintptr_t queue, uintptr_t to, const void *pattern, size_t pattern_size, size_t size,
                       uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_fill(COMMAND_MEMFILL_INTEL, PYTHON(fill_entry, enqueue_mem_fill_intel), queue, to, pattern,
                    pattern_size, size, count, events, event);
}

/* Enqueues a hint about memory. All devices share the memory of the host, so the command does nothing. */
static int32_t enqueue_hint(uint32_t type, bool is_valid, uintptr_t queue, uint32_t count, const uintptr_t *events,
                            uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    hot_waits wait = {.commands = wait.few};
    int32_t code = on ? hot_find_waits(on, count, events, &wait) : INVALID_QUEUE;
    if (!code && !is_valid)
        code = INVALID_VALUE;
    if (!code) {
        block *event_block = event ? hot_take_block() : NULL;
        command *started = event && !event_block ? NULL
                                          : hot_pool.enqueue_copy(atomic_load(&on->native), 0, 0, 0, wait.commands, count);
        code = hot_enqueued(on, started, type, event_block, event);
    }
    hot_free_waits(&wait);
    return code;
}

int32_t hot_migrate_intel(uintptr_t queue, uintptr_t pointer, size_t size, uint64_t flags, uint32_t count,
                          const uintptr_t *events, uintptr_t *event) {
    enum { TO_HOST = 1, CONTENT_UNDEFINED = 2 };
    bool is_valid = !(flags & ~(uint64_t)(TO_HOST | CONTENT_UNDEFINED));
    return hot_is_alone()
               ? PYTHON(migrate_entry, enqueue_migrate_mem_intel)(queue, pointer, size, flags, count, events, event)
               : enqueue_hint(COMMAND_MIGRATE_INTEL, is_valid, queue, count, events, event);
}

/* The extension defines no advice values yet; only 0 is valid. */
int32_t hot_advise_intel(uintptr_t queue, uintptr_t pointer, size_t size, uint32_t advice, uint32_t count,
                         const uintptr_t *events, uintptr_t *event) {
    return hot_is_alone()
               ? PYTHON(advise_entry, enqueue_mem_advise_intel)(queue, pointer, size, advice, count, events, event)
               : enqueue_hint(COMMAND_ADVISE_INTEL, !advice, queue, count, events, event);
}

int32_t hot_finish(uintptr_t queue) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    if (!on)
        return hot_may_enter() ? PYTHON(handle_entry, finish)(queue) : INVALID_QUEUE;
    /* The commands may need Python before they can end: to prepare a launch, or to run a signal handler. */
    void *state = hot_release_gil();
    int32_t ended = hot_pool.queue_finish(atomic_load(&on->native));
    hot_reacquire_gil(state);
    if (ended == INTERRUPTED)
        return hot_interrupted();
    if (ended || hot_pool.queue_take_failure(atomic_load(&on->native)))
        return OUT_OF_RESOURCES;
    return atomic_load(&hot_waiting) && hot_is_alone() ? PYTHON(handle_entry, finish)(queue) : SUCCESS;
}

int32_t hot_flush(uintptr_t queue) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    if (!on)
        return hot_may_enter() ? PYTHON(handle_entry, flush)(queue) : INVALID_QUEUE;
    hot_pool.queue_flush(atomic_load(&on->native));
    return SUCCESS;
}
