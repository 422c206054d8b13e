/* The client's reference counts: retains and releases. */
#define _GNU_SOURCE
#include "hot_internal.h"

enum { INVALID_DEVICE = -33, INVALID_SAMPLER = -41, INVALID_PROGRAM = -44, INVALID_COMMAND_BUFFER = -1138 };

uint32_t weft_hot_references(uintptr_t handle) {
    /* The handle of the platform is not a block: it lies in the shared object. */
    return hot_is_block(handle) ? atomic_load(&((block *)handle)->references) : 1;
}

/* The count may be 0: an object with dependents can be retained again after the client has released it. */
void weft_hot_retain(uintptr_t handle) {
    atomic_fetch_add(&((block *)handle)->references, 1);
}

int weft_hot_release(uintptr_t handle) {
    _Atomic uint32_t *references = &((block *)handle)->references;
    uint32_t count = atomic_load(references);
    do
        if (!count)
            return -1;
    while (!atomic_compare_exchange_weak(references, &count, count - 1));
    return (int)count - 1;
}

/* Handles the release of the client's last reference: deletes the object in C if C owns it, otherwise leaves that to
 * Python. */
static void release_last(block *target, uint32_t kind) {
    uint32_t unadopted = 0;
    if (hot_drop_unadopted(target, kind))
        return;
    if (kind == WEFT_HOT_BUFFER) /* it may be an argument of a kernel, and Python may delete it only later */
        weft_hot_next_epoch();
    if (kind != WEFT_HOT_EVENT || !atomic_compare_exchange_strong(&target->adopted, &unadopted, 1)) {
        hot_list_deletion(target, kind);
        hot_dispatch_pending();
        return;
    }
    block *queue = target->queue;
    hot_pool.command_release((command *)atomic_load(&target->native));
    hot_free_block(target);
    /* A queue that the client has released is deleted after its last event. */
    if (atomic_fetch_sub(&queue->events, 1) == 1 && !atomic_load(&queue->references)) {
        hot_list_deletion(queue, WEFT_HOT_QUEUE);
        hot_dispatch_pending();
    }
}

/* The block of a handle if its object is of one of two kinds, else NULL. */
static block *find_either(uintptr_t handle, uint32_t kind, uint32_t other) {
    block *found = hot_find(handle, kind);
    return found ? found : hot_find(handle, other);
}

static int32_t retain(uintptr_t handle, uint32_t kind, uint32_t other, int32_t invalid, handle_entry *python_entry) {
    block *target = find_either(handle, kind, other);
    if (!target)
        return hot_may_enter() ? python_entry(handle) : invalid;
    if (atomic_load(&target->kind) != WEFT_HOT_ROOT_DEVICE)
        weft_hot_retain(handle);
    return SUCCESS;
}

static int32_t release(uintptr_t handle, uint32_t kind, uint32_t other, int32_t invalid, handle_entry *python_entry) {
    block *target = find_either(handle, kind, other);
    uint32_t found = target ? atomic_load(&target->kind) : WEFT_HOT_OTHER;
    if (found == WEFT_HOT_ROOT_DEVICE)
        return SUCCESS;
    if (found == WEFT_HOT_QUEUE) /* the specification requires a release to flush the queue */
        hot_pool.queue_flush(atomic_load(&target->native));
    int left = target ? weft_hot_release(handle) : -1;
    if (left < 0)
        return hot_may_enter() ? python_entry(handle) : invalid;
    if (!left)
        release_last(target, found);
    return SUCCESS;
}

#define COUNTED(name, kind, other, invalid)                                                                            \
    int32_t hot_retain_##name(uintptr_t handle) {                                                               \
        return retain(handle, kind, other, invalid, PYTHON(handle_entry, retain_##name));                              \
    }                                                                                                                  \
    int32_t hot_release_##name(uintptr_t handle) {                                                              \
        return release(handle, kind, other, invalid, PYTHON(handle_entry, release_##name));                            \
    }

/* Root devices are not reference-counted: retaining and releasing them has no effect. */
COUNTED(context, WEFT_HOT_CONTEXT, WEFT_HOT_CONTEXT, INVALID_CONTEXT)
COUNTED(command_queue, WEFT_HOT_QUEUE, WEFT_HOT_QUEUE, INVALID_QUEUE)
COUNTED(mem_object, WEFT_HOT_BUFFER, WEFT_HOT_IMAGE, INVALID_MEMORY)
COUNTED(sampler, WEFT_HOT_SAMPLER, WEFT_HOT_SAMPLER, INVALID_SAMPLER)
COUNTED(program, WEFT_HOT_PROGRAM, WEFT_HOT_PROGRAM, INVALID_PROGRAM)
COUNTED(kernel, WEFT_HOT_KERNEL, WEFT_HOT_KERNEL, INVALID_KERNEL)
COUNTED(event, WEFT_HOT_EVENT, WEFT_HOT_EVENT, INVALID_EVENT)
COUNTED(command_buffer_khr, WEFT_HOT_COMMAND_BUFFER, WEFT_HOT_COMMAND_BUFFER, INVALID_COMMAND_BUFFER)
COUNTED(device, WEFT_HOT_SUB_DEVICE, WEFT_HOT_ROOT_DEVICE, INVALID_DEVICE)
