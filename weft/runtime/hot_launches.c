/* Launches that Python has validated once: kept with their kernel, found again, started; and arguments of kernels. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 16, LAUNCH_BYTES = 112, MOST_BUFFERS = 32, TABLE_QUARANTINE = 16 };
enum { COMMAND_NDRANGE = 0x11F0 };

typedef struct launch {
    weft_hot_key key;
    struct block *queue;
    uint32_t queue_serial;
    bool noalias; /* not for memory objects that overlap */
    uintptr_t function;
    const void *args;
    size_t args_bytes, local_bytes, context_bytes;
    _Alignas(8) unsigned char packed[LAUNCH_BYTES];
} launch;

typedef struct table {
    struct table *next; /* of those that nobody uses */
    uintptr_t context;
    weft_hot_argument *arguments;
    uint32_t argument_count;
    _Atomic uint32_t count;
    launch launches[LAUNCHES];
} table;

static table *free_tables, *free_tables_last; /* the first of them is used again first */
static uint32_t free_table_count;
static _Atomic uint64_t current_epoch = 1;

int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count) {
    struct {
        uint64_t start, end;
    } seen[MOST_BUFFERS];
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t start = arguments[i].is_memory ? *(const uint64_t *)arguments[i].slot : 0;
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

static table *take_table(void) {
    table *taken = NULL;
    pthread_mutex_lock(&hot_lock);
    /* Another thread may be about to start a launch of a table that has just been given back. */
    if (free_table_count > TABLE_QUARANTINE) {
        taken = free_tables;
        free_tables = taken->next;
        free_table_count--;
    }
    pthread_mutex_unlock(&hot_lock);
    if (!taken)
        taken = malloc(sizeof *taken);
    if (taken)
        atomic_init(&taken->count, 0);
    return taken;
}

int weft_hot_bind_kernel(uintptr_t handle, uintptr_t context, weft_hot_argument *arguments, uint32_t count) {
    block *target = (block *)handle;
    if (atomic_load(&target->native))
        return 0;
    table *launches = take_table();
    if (!launches)
        return -1;
    launches->context = context;
    launches->arguments = arguments;
    launches->argument_count = count;
    atomic_store(&target->native, (uintptr_t)launches);
    return 0;
}

int weft_hot_keep(uintptr_t kernel, uintptr_t queue, const weft_hot_key *key, int noalias, uintptr_t function,
                  const void *packed, size_t launch_bytes, const void *args, size_t args_bytes,
                  size_t local_bytes, size_t context_bytes) {
    block *target = hot_find(kernel, WEFT_HOT_KERNEL), *on = hot_find(queue, WEFT_HOT_QUEUE);
    table *launches = target ? (table *)atomic_load(&target->native) : NULL;
    if (!launches || !on || launch_bytes > LAUNCH_BYTES)
        return -1;
    uint32_t count = atomic_load(&launches->count);
    if (count == LAUNCHES)
        return -1;
    launch *kept = &launches->launches[count];
    *kept = (launch){.key = *key, .queue = on, .queue_serial = atomic_load(&on->serial), .noalias = noalias,
                     .function = function, .args = args, .args_bytes = args_bytes, .local_bytes = local_bytes,
                     .context_bytes = context_bytes};
    memcpy(kept->packed, packed, launch_bytes);
    atomic_store_explicit(&launches->count, count + 1, memory_order_release);
    return 0;
}

uint64_t weft_hot_epoch(void) {
    return atomic_load(&current_epoch);
}

void weft_hot_confirm(uintptr_t kernel, uint64_t epoch) {
    atomic_store_explicit(&((block *)kernel)->epoch, epoch, memory_order_release);
}

void weft_hot_forget(uintptr_t kernel) {
    block *target = hot_find(kernel, WEFT_HOT_KERNEL);
    table *launches = target ? (table *)atomic_exchange(&target->native, 0) : NULL;
    if (!launches)
        return;
    pthread_mutex_lock(&hot_lock);
    launches->next = NULL;
    *(free_table_count++ ? &free_tables_last->next : &free_tables) = launches;
    free_tables_last = launches;
    pthread_mutex_unlock(&hot_lock);
}

void weft_hot_next_epoch(void) {
    atomic_fetch_add(&current_epoch, 1);
}

static bool same(const weft_hot_key *key, uint32_t work_dim, uint32_t given, const size_t *offset,
                 const size_t *global_size, const size_t *local_size) {
    if (key->work_dim != work_dim || key->given != given)
        return false;
    for (uint32_t i = 0; i < work_dim; i++)
        if (key->global_size[i] != global_size[i] || (local_size && key->local_size[i] != local_size[i]) ||
            (offset && key->offset[i] != offset[i]))
            return false;
    return true;
}

static const launch *find_launch(const table *launches, const block *queue, uint32_t work_dim,
                                 const size_t *offset, const size_t *global_size, const size_t *local_size) {
    uint32_t given = (local_size ? WEFT_HOT_LOCAL_SIZE : 0) | (offset ? WEFT_HOT_OFFSET : 0);
    uint32_t count = atomic_load_explicit(&launches->count, memory_order_acquire);
    uint32_t serial = atomic_load_explicit(&queue->serial, memory_order_relaxed);
    for (const launch *kept = launches->launches; kept < launches->launches + count; kept++)
        if (kept->queue == queue && kept->queue_serial == serial &&
            same(&kept->key, work_dim, given, offset, global_size, local_size) &&
            (!kept->noalias || weft_hot_disjoint(launches->arguments, launches->argument_count)))
            return kept;
    return NULL;
}

int32_t hot_enqueue(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                           const size_t *global_size, const size_t *local_size, uint32_t count,
                           const uintptr_t *events, uintptr_t *event) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE), *target = hot_find(kernel, WEFT_HOT_KERNEL);
    const table *launches = target ? (const table *)atomic_load(&target->native) : NULL;
    const launch *kept = NULL;
    command *wait[MOST_WAITS];
    if (on && launches && global_size && hot_find_waits(on, count, events, wait) &&
        atomic_load_explicit(&target->epoch, memory_order_acquire) == atomic_load(&current_epoch))
        kept = find_launch(launches, on, work_dim, offset, global_size, local_size);
    if (!kept)
        return PYTHON(enqueue_entry, enqueue_ndrange_kernel)(queue, kernel, work_dim, offset, global_size, local_size,
                                                             count, events, event);
    block *made = event ? hot_take_block() : NULL;
    if (event && !made)
        return OUT_OF_HOST_MEMORY;
    command *started = hot_pool.enqueue_ndrange(atomic_load(&on->native), kept->function, kept->packed, kept->args,
                                       kept->args_bytes, kept->local_bytes, kept->context_bytes, wait, count);
    return hot_enqueued(on, started, COMMAND_NDRANGE, made, event);
}

/* Only arguments of kernels that were launched before: all of them are set, so no count need be kept. */
static weft_hot_argument *find_argument(uintptr_t kernel, uint32_t index) {
    block *target = hot_find(kernel, WEFT_HOT_KERNEL);
    table *known = target ? (table *)atomic_load(&target->native) : NULL;
    return known && index < known->argument_count ? &known->arguments[index] : NULL;
}

int32_t hot_set_argument(uintptr_t kernel, uint32_t index, size_t size, const void *value) {
    weft_hot_argument *argument = find_argument(kernel, index);
    if (!argument || !value || !size || argument->size != size)
        return PYTHON(set_argument_entry, set_kernel_arg)(kernel, index, size, value);
    if (!argument->is_memory) {
        memcpy((void *)argument->slot, value, size);
        return SUCCESS;
    }
    uintptr_t handle;
    memcpy(&handle, value, sizeof handle);
    block *memory = hot_find(handle, WEFT_HOT_BUFFER);
    if (!memory || memory->context != ((table *)atomic_load(&((block *)kernel)->native))->context)
        return PYTHON(set_argument_entry, set_kernel_arg)(kernel, index, size, value);
    argument->memory = handle;
    *(uint64_t *)argument->slot = atomic_load(&memory->native);
    return SUCCESS;
}

static int32_t set_pointer(set_pointer_entry *python_entry, uintptr_t kernel, uint32_t index, uintptr_t value) {
    weft_hot_argument *argument = find_argument(kernel, index);
    if (!argument || !argument->is_memory)
        return python_entry(kernel, index, value);
    argument->memory = 0;
    *(uint64_t *)argument->slot = value;
    return SUCCESS;
}

int32_t hot_set_svm_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_svm_pointer), kernel, index, value);
}

int32_t hot_set_mem_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_mem_pointer_intel), kernel, index, value);
}
