/* Launches that Python has validated before: kept in a table of their kernel, looked up and enqueued without Python. */
#define _GNU_SOURCE
#include "hot_internal.h"
#include "pool.h"

#include <string.h>

enum { LAUNCHES = 16, MOST_BUFFERS = 32, TABLE_QUARANTINE = 16 };

_Static_assert(sizeof(weft_launch) == WEFT_HOT_LAUNCH_BYTES, "a reply contains a launch");

typedef struct launch {
    weft_hot_key key;
    struct block *queue;
    uint32_t queue_serial; /* `serial` of the queue's block: the launch is not for a later object of that block */
    uint32_t layout;       /* `layout` of the kernel */
    bool noalias;          /* invalid if memory objects among the arguments overlap */
    uintptr_t function;
    size_t local_bytes, context_bytes;
    uint64_t ids; /* the launch is valid for other global sizes too, if all global ids are below this; 0: it is not */
    weft_launch packed;
} launch;

/* The kept launches of a kernel. Readers take no lock. Writers hold hot_lock: they write an entry and then publish it
 * by a release store of `count`. Tables are never freed: another thread may still read a table that has just been
 * dropped. They are reused in the order in which they were dropped, after a quarantine. */
typedef struct table {
    struct table *next;
    _Atomic uint32_t count;
    launch launches[LAUNCHES];
} table;

static table *spare_first, *spare_last; /* dropped tables; guarded by hot_lock */
static uint32_t spare_count;
/* Incremented when a memory object is released or deleted. A launch whose arguments have been checked gets its position
 * in the queue only if the epoch is still that of the check. To free memory, a thread increments the epoch and then waits
 * for the commands that are in the queues, so it waits for that launch too. */
static _Atomic uint64_t current_epoch = 1;

/* The caller holds the lock. */
static table *take_table(void) {
    table *taken = spare_first;
    if (spare_count <= TABLE_QUARANTINE) {
        taken = malloc(sizeof *taken);
    } else {
        spare_first = taken->next;
        spare_count--;
    }
    if (taken)
        atomic_store(&taken->count, 0);
    return taken;
}

int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count) {
    struct {
        uint64_t start, end;
    } seen[MOST_BUFFERS];
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t start = arguments[i].kind == WEFT_HOT_MEMORY ? *(const uint64_t *)arguments[i].slot : 0;
        if (!start)
            continue;
        const block *memory = hot_find(arguments[i].memory, WEFT_HOT_BUFFER);
        if (!memory || buffers == MOST_BUFFERS)
            return 0;
        uint64_t end = start + atomic_load_explicit(&memory->size, memory_order_relaxed);
        for (uint32_t j = 0; j < buffers; j++)
            if (start < seen[j].end && seen[j].start < end)
                return 0;
        seen[buffers].start = start;
        seen[buffers++].end = end;
    }
    return 1;
}

void weft_hot_bind_kernel(uintptr_t handle, weft_hot_kernel *described) {
    block *target = (block *)handle;
    atomic_store(&target->deferred, 0);
    atomic_store(&target->native, (uintptr_t)described);
    weft_hot_bind(handle, WEFT_HOT_KERNEL);
}

/* The caller holds the lock. */
static int keep(weft_hot_kernel *kernel, const launch *kept) {
    if (kept->layout != __atomic_load_n(&kernel->layout, __ATOMIC_ACQUIRE))
        return -1;
    table *launches = (table *)__atomic_load_n(&kernel->launches, __ATOMIC_ACQUIRE);
    if (!launches) {
        launches = take_table();
        if (!launches)
            return -1;
        __atomic_store_n(&kernel->launches, (uintptr_t)launches, __ATOMIC_RELEASE);
    }
    uint32_t count = atomic_load(&launches->count);
    if (count == LAUNCHES)
        return -1;
    launches->launches[count] = *kept;
    atomic_store_explicit(&launches->count, count + 1, memory_order_release);
    return 0;
}

int weft_hot_keep(uintptr_t handle, uintptr_t queue, const weft_hot_key *key, uint32_t layout, int noalias,
                  uintptr_t function, const void *packed, size_t launch_bytes, size_t local_bytes,
                  size_t context_bytes, uint64_t ids) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    weft_hot_kernel *kernel = hot_find_kernel(handle);
    if (!kernel || !on || launch_bytes != sizeof(weft_launch))
        return -1;
    launch kept = {.key = *key, .queue = on, .queue_serial = atomic_load(&on->serial), .layout = layout,
                   .noalias = noalias, .function = function, .local_bytes = local_bytes,
                   .context_bytes = context_bytes, .ids = ids};
    memcpy(&kept.packed, packed, launch_bytes);
    pthread_mutex_lock(&hot_lock);
    int code = keep(kernel, &kept);
    pthread_mutex_unlock(&hot_lock);
    return code;
}

uint64_t weft_hot_epoch(void) {
    return atomic_load(&current_epoch);
}

uintptr_t weft_hot_epoch_address(void) {
    return (uintptr_t)&current_epoch;
}

void weft_hot_confirm(uintptr_t kernel, uint64_t epoch) {
    atomic_store_explicit(&((block *)kernel)->epoch, epoch, memory_order_release);
}

void weft_hot_forget(uintptr_t handle) {
    weft_hot_kernel *kernel = hot_find_kernel(handle);
    pthread_mutex_lock(&hot_lock);
    table *launches = kernel ? (table *)__atomic_exchange_n(&kernel->launches, 0, __ATOMIC_ACQ_REL) : NULL;
    if (launches) {
        launches->next = NULL;
        *(spare_count++ ? &spare_last->next : &spare_first) = launches;
        spare_last = launches;
    }
    pthread_mutex_unlock(&hot_lock);
}

void hot_unbind_kernel(block *target) {
    weft_hot_forget((uintptr_t)target);
    if (hot_find_kernel((uintptr_t)target))
        atomic_store(&target->native, 0);
}

void weft_hot_next_epoch(void) {
    atomic_fetch_add(&current_epoch, 1);
}

/* Whether the work-groups of a launch with `ids` may run another global size. */
static bool may_resize(const launch *kept, uint32_t work_dim, const size_t *global_size) {
    uint64_t items = 1;
    for (uint32_t i = 0; i < work_dim; i++) {
        uint64_t first = kept->packed.global_offset[i];
        if (first >= kept->ids || global_size[i] > kept->ids - first || !global_size[i] ||
            global_size[i] % kept->packed.local_size[i] || global_size[i] > (UINT64_MAX >> 2) / items)
            return false;
        items *= global_size[i];
    }
    return true;
}

static bool same(const launch *kept, uint32_t work_dim, uint32_t given, const size_t *offset, const size_t *global_size,
                 const size_t *local_size) {
    const weft_hot_key *key = &kept->key;
    bool is_same_size = true;
    if (key->work_dim != work_dim || key->given != given)
        return false;
    for (uint32_t i = 0; i < work_dim; i++) {
        if ((local_size && key->local_size[i] != local_size[i]) || (offset && key->offset[i] != offset[i]))
            return false;
        is_same_size = is_same_size && key->global_size[i] == global_size[i];
    }
    return is_same_size || (kept->ids && may_resize(kept, work_dim, global_size));
}

/* Returns a launch for these sizes, except for `global_size` and `num_groups` in it. */
static const launch *find_launch(const weft_hot_kernel *described, const block *queue, uint32_t work_dim,
                                 const size_t *offset, const size_t *global_size, const size_t *local_size) {
    const table *launches = (const table *)__atomic_load_n(&described->launches, __ATOMIC_ACQUIRE);
    if (!launches)
        return NULL;
    uint32_t given = (local_size ? WEFT_HOT_LOCAL_SIZE : 0) | (offset ? WEFT_HOT_OFFSET : 0);
    uint32_t count = atomic_load_explicit(&launches->count, memory_order_acquire);
    uint32_t serial = atomic_load_explicit(&queue->serial, memory_order_relaxed);
    uint32_t layout = __atomic_load_n(&described->layout, __ATOMIC_ACQUIRE);
    for (const launch *kept = launches->launches; kept < launches->launches + count; kept++)
        if (kept->queue == queue && kept->queue_serial == serial && kept->layout == layout &&
            same(kept, work_dim, given, offset, global_size, local_size) &&
            (!kept->noalias || weft_hot_disjoint(described->arguments, described->argument_count)))
            return kept;
    return NULL;
}

/* Whether all arguments are set and alive in an epoch: confirmed for it, or checked and confirmed here. Only Python can
 * check images, samplers and pipes. */
static bool are_confirmed(block *target, const weft_hot_kernel *described, uint64_t epoch) {
    if (atomic_load_explicit(&target->epoch, memory_order_acquire) == epoch)
        return true;
    if (!described->is_deferrable || hot_check_arguments(described))
        return false;
    weft_hot_confirm((uintptr_t)target, epoch);
    return true;
}

int32_t hot_enqueue(uintptr_t queue, uintptr_t handle, uint32_t work_dim, const size_t *offset,
                    const size_t *global_size, const size_t *local_size, uint32_t count, const uintptr_t *events,
                    uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE), *target = hot_find(handle, WEFT_HOT_KERNEL);
    const weft_hot_kernel *described = hot_find_kernel(handle);
    const launch *kept = NULL;
    hot_waits wait;
    uint64_t epoch = atomic_load(&current_epoch);
    if (on && described && global_size && are_confirmed(target, described, epoch))
        kept = find_launch(described, on, work_dim, offset, global_size, local_size);
    if (!kept || hot_find_waits(on, count, events, &wait))
        return hot_defer(queue, handle, work_dim, offset, global_size, local_size, count, events, event);
    weft_launch resized = kept->packed;
    for (uint32_t i = 0; kept->ids && i < work_dim; i++) {
        resized.global_size[i] = global_size[i];
        resized.num_groups[i] = global_size[i] / resized.local_size[i];
    }
    block *event_block = event ? hot_take_block() : NULL;
    command *started = event && !event_block ? NULL
                                      : hot_pool.enqueue_ndrange(atomic_load(&on->native), kept->function, &resized,
                                                                 (const void *)described->block, described->block_bytes,
                                                                 kept->local_bytes, kept->context_bytes, wait.commands,
                                                                 count, &current_epoch, epoch);
    hot_free_waits(&wait);
    if (!started && atomic_load(&current_epoch) != epoch) { /* check the arguments again */
        if (event_block)
            hot_free_block(event_block);
        return hot_enqueue(queue, handle, work_dim, offset, global_size, local_size, count, events, event);
    }
    return hot_enqueued(on, started, COMMAND_NDRANGE, event_block, event);
}
