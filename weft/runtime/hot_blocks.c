/* Handles: allocation of their blocks, and binding of blocks to objects. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <pthread.h>
#include <sys/mman.h>

enum { QUARANTINE = 4096 };

block *hot_blocks;
pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used; /* number of blocks that have ever been taken */
static block *free_first, *free_last;
static uint32_t free_count;
static uintptr_t dispatch_word;

/* The lock is held across a fork, so that the lists are consistent in the child. */
static void before_fork(void) {
    pthread_mutex_lock(&hot_lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&hot_lock);
}

static void after_fork_in_child(void) {
    hot_forget_deferred();
    hot_forget_listener();
    hot_forget_builders();
    for (uint32_t i = 0; i < used; i++)
        hot_forget_build(&hot_blocks[i]);
    pthread_mutex_init(&hot_lock, NULL);
}

void weft_hot_start(const weft_hot_functions *functions) {
#define TAKE(name) *(void **)&hot_pool.name = (void *)functions->name
    TAKE(enqueue_ndrange), TAKE(enqueue_deferred), TAKE(deferred_fail), TAKE(enqueue_copy), TAKE(enqueue_fill);
    TAKE(enqueue_marker), TAKE(enqueue_barrier), TAKE(replay);
    TAKE(command_release), TAKE(command_status), TAKE(command_times), TAKE(command_wait), TAKE(command_cancel), TAKE(user_complete);
    TAKE(queue_new), TAKE(queue_release), TAKE(queue_finish), TAKE(queue_take_failure), TAKE(queue_flush), TAKE(notify_post), TAKE(allocate), TAKE(free), TAKE(waits), TAKE(name_function);
#undef TAKE
    if (hot_blocks)
        return;
    void *region = mmap(NULL, sizeof(block) * HANDLES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    hot_blocks = region == MAP_FAILED ? NULL : region;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void weft_hot_set_dispatch(uintptr_t dispatch) {
    pthread_mutex_lock(&hot_lock);
    dispatch_word = dispatch;
    for (uint32_t i = 0; i < used; i++)
        hot_blocks[i].dispatch = dispatch;
    pthread_mutex_unlock(&hot_lock);
}

block *hot_take_block(void) {
    block *taken = NULL;
    pthread_mutex_lock(&hot_lock);
    if (free_count > QUARANTINE || (hot_blocks && used == HANDLES && free_count)) {
        taken = free_first;
        free_first = taken->next;
        free_count--;
    } else if (hot_blocks && used < HANDLES) {
        taken = &hot_blocks[used++];
    }
    pthread_mutex_unlock(&hot_lock);
    if (taken) {
        taken->dispatch = dispatch_word;
        atomic_store_explicit(&taken->native, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->epoch, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->users, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->references, 1, memory_order_relaxed);
        atomic_store_explicit(&taken->adopted, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&taken->serial, 1, memory_order_relaxed);
    }
    return taken;
}

void hot_append_free(block *block) {
    block->next = NULL;
    if (free_count++)
        free_last->next = block;
    else
        free_first = block;
    free_last = block;
}

void hot_free_block(block *block) {
    pthread_mutex_lock(&hot_lock);
    atomic_store_explicit(&block->kind, WEFT_HOT_OTHER, memory_order_release);
    if (block->listed)
        block->listed = LISTED_GONE;
    else
        hot_append_free(block);
    pthread_mutex_unlock(&hot_lock);
}

uintptr_t weft_hot_handle(void) {
    return (uintptr_t)hot_take_block();
}

void weft_hot_give_back(uintptr_t handle) {
    hot_unbind_kernel((block *)handle);
    pthread_mutex_lock(&hot_lock);
    void *results = hot_take_results((block *)handle), *limits = hot_take_limits((block *)handle);
    hot_take_record((block *)handle);
    pthread_mutex_unlock(&hot_lock);
    free(results);
    free(limits);
    hot_free_block((block *)handle);
}

void weft_hot_bind(uintptr_t handle, uint32_t kind) {
    atomic_store_explicit(&((block *)handle)->kind, kind, memory_order_release);
}

void weft_hot_bind_queue(uintptr_t handle, uintptr_t queue, uintptr_t context) {
    block *target = (block *)handle;
    target->context = context;
    atomic_store(&target->events, 0);
    atomic_store(&target->native, queue);
    weft_hot_bind(handle, WEFT_HOT_QUEUE);
}

block *hot_retain_queue(uintptr_t context, uint32_t *from) {
    block *found = NULL;
    pthread_mutex_lock(&hot_lock);
    for (; !found && *from < used; ++*from) {
        block *queue = &hot_blocks[*from];
        if (atomic_load(&queue->kind) != WEFT_HOT_QUEUE || queue->context != context)
            continue;
        uint32_t count = atomic_load(&queue->references);
        while (count && !atomic_compare_exchange_weak(&queue->references, &count, count + 1)) {
        }
        found = count ? queue : NULL;
    }
    pthread_mutex_unlock(&hot_lock);
    return found;
}

uint32_t weft_hot_dependents(uintptr_t handle) {
    block *target = hot_is_block(handle) ? (block *)handle : NULL;
    return target ? atomic_load(&target->dependents) : 0;
}

void weft_hot_dependent_gone(uintptr_t handle) {
    atomic_fetch_sub(&((block *)handle)->dependents, 1);
}

uint32_t weft_hot_queue_events(uintptr_t handle) {
    block *queue = hot_find(handle, WEFT_HOT_QUEUE);
    return queue ? atomic_load(&queue->events) : 0;
}

void weft_hot_bind_event(uintptr_t handle, uintptr_t bound, uintptr_t queue, uintptr_t context, uint32_t type) {
    block *target = (block *)handle;
    target->context = context;
    target->queue = (block *)queue;
    target->type = type;
    atomic_store(&target->adopted, 1);
    atomic_store(&target->native, bound);
    weft_hot_bind(handle, WEFT_HOT_EVENT);
}

void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context, uint32_t flags) {
    block *target = (block *)handle;
    target->context = context;
    target->flags = flags;
    atomic_store(&target->size, size);
    atomic_store(&target->native, address);
    weft_hot_bind(handle, WEFT_HOT_BUFFER);
}

uintptr_t weft_hot_memory(uintptr_t handle) {
    const block *memory = hot_find(handle, WEFT_HOT_BUFFER);
    return memory && atomic_load(&memory->references) ? atomic_load(&memory->native) : 0;
}

int weft_hot_take_event(uintptr_t handle, weft_hot_event *event) {
    block *found = hot_find(handle, WEFT_HOT_EVENT);
    uint32_t unadopted = 0;
    if (!found || !atomic_compare_exchange_strong(&found->adopted, &unadopted, 1))
        return 0;
    event->command = atomic_load(&found->native);
    event->queue = (uintptr_t)found->queue;
    event->type = found->type;
    return 1;
}

void weft_hot_event_adopted(uintptr_t queue) {
    atomic_fetch_sub(&((block *)queue)->events, 1);
}

uint32_t weft_hot_unadopted(uintptr_t *handles, uint32_t room) {
    uint32_t count = 0;
    pthread_mutex_lock(&hot_lock);
    for (uint32_t i = 0; i < used; i++) {
        uint32_t kind = atomic_load(&hot_blocks[i].kind);
        bool may_be = kind == WEFT_HOT_EVENT || kind == WEFT_HOT_QUEUE || kind == WEFT_HOT_BUFFER || kind == WEFT_HOT_PROGRAM ||
                      kind == WEFT_HOT_KERNEL;
        if (!may_be || atomic_load(&hot_blocks[i].adopted))
            continue;
        if (count < room)
            handles[count] = (uintptr_t)&hot_blocks[i];
        count++;
    }
    pthread_mutex_unlock(&hot_lock);
    return count;
}
