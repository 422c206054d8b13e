/* A handle is the address of a block in one reserved region, so that whatever a client passes can be told
 * from a handle by its address alone. A block says what it stands for (`kind`) as far as C needs to know.
 *
 * Python changes blocks while it holds its lock; the functions below read them without it. What they follow
 * is never freed: blocks and tables of launches are only used again, for the same purpose. A table grows
 * while it is read: an entry is complete before the count that includes it is.
 */
#define _GNU_SOURCE
#include "hot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KIND_OTHER, KIND_QUEUE, KIND_KERNEL, KIND_EVENT, KIND_MEMORY };
enum { HANDLES = 1 << 20, QUARANTINE = 4096, TABLE_QUARANTINE = 16 };
enum { LAUNCHES = 16, LAUNCH_BYTES = 104, MOST_BUFFERS = 32 };
enum { SUCCESS = 0, OUT_OF_HOST_MEMORY = -6, FAILED_EVENTS = -14, INTERRUPTED = -2147483647 };

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

typedef struct block {
    _Alignas(64) uintptr_t dispatch; /* the loader's */
    _Atomic uint32_t kind;
    _Atomic uint32_t serial; /* of the object: a block is used again */
    _Atomic uintptr_t native; /* the queue, the kernel's table, the event's command, the memory's address */
    union {
        struct block *queue; /* of an event */
        uintptr_t context;   /* of a queue or a memory object */
    };
    _Atomic uint32_t events;  /* of a queue */
    _Atomic uint32_t retired; /* a queue: the client has no reference left */
    _Atomic uint64_t epoch;   /* a kernel: when its arguments were known to be good */
    _Atomic uint64_t size;    /* a memory object */
    struct block *next_free;
} block;

_Static_assert(sizeof(block) == 64, "a block is a cache line");

typedef struct command command;
typedef command *enqueue_function(uintptr_t queue, uintptr_t function, const void *launch, const void *args,
                                  size_t args_bytes, size_t local_bytes, size_t context_bytes,
                                  command *const *wait, uint32_t wait_count);

typedef int32_t enqueue_entry(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                              const size_t *global_size, const size_t *local_size, uint32_t count,
                              const uintptr_t *events, uintptr_t *event);
typedef int32_t set_argument_entry(uintptr_t kernel, uint32_t index, size_t size, const void *value);
typedef int32_t wait_entry(uint32_t count, const uintptr_t *events);
typedef int32_t handle_entry(uintptr_t handle);

static enqueue_function *enqueue_ndrange;
static void (*command_release)(command *);
static int32_t (*command_status)(const command *);
static int32_t (*command_wait)(command *);
static int32_t (*queue_finish)(uintptr_t);
static void (*queue_flush)(uintptr_t);
static enqueue_entry *python_enqueue;
static set_argument_entry *python_set_argument;
static wait_entry *python_wait;
static handle_entry *python_finish, *python_release_event;
static int32_t (*python_interrupted)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;
static uint32_t used; /* blocks that were ever given out */
static block *free_first, *free_last;
static uint32_t free_count;
static table *free_tables, *free_tables_last; /* the first of them is used again first */
static uint32_t free_table_count;
static uintptr_t dispatch_word;
static _Atomic uint64_t current_epoch = 1;
static _Atomic int32_t waiting;

/* A fork waits for the few steps that the lock is held for: the child's lists are whole. */
static void hold_lock(void) {
    pthread_mutex_lock(&lock);
}

static void let_lock_go(void) {
    pthread_mutex_unlock(&lock);
}

static void renew_lock(void) {
    pthread_mutex_init(&lock, NULL);
}

void weft_hot_start(const weft_hot_functions *functions) {
    enqueue_ndrange = (enqueue_function *)functions->enqueue_ndrange;
    command_release = (void (*)(command *))functions->command_release;
    command_status = (int32_t (*)(const command *))functions->command_status;
    command_wait = (int32_t (*)(command *))functions->command_wait;
    queue_finish = (int32_t (*)(uintptr_t))functions->queue_finish;
    queue_flush = (void (*)(uintptr_t))functions->queue_flush;
    if (blocks)
        return;
    void *region = mmap(NULL, sizeof(block) * HANDLES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    blocks = region == MAP_FAILED ? NULL : region;
    pthread_atfork(hold_lock, let_lock_go, renew_lock);
}

void weft_hot_set_dispatch(uintptr_t dispatch) {
    pthread_mutex_lock(&lock);
    dispatch_word = dispatch;
    for (uint32_t i = 0; i < used; i++)
        blocks[i].dispatch = dispatch;
    pthread_mutex_unlock(&lock);
}

/* The block that `handle` is the address of, if it stands for an object of this kind; else NULL. */
static block *find(uintptr_t handle, uint32_t kind) {
    uintptr_t distance = handle - (uintptr_t)blocks;
    if (!blocks || distance >= sizeof(block) * HANDLES || distance % sizeof(block))
        return NULL;
    block *found = (block *)handle;
    return atomic_load_explicit(&found->kind, memory_order_acquire) == kind ? found : NULL;
}

static block *take_block(void) {
    block *taken = NULL;
    pthread_mutex_lock(&lock);
    if (free_count > QUARANTINE || (blocks && used == HANDLES && free_count)) {
        taken = free_first;
        free_first = taken->next_free;
        free_count--;
    } else if (blocks && used < HANDLES) {
        taken = &blocks[used++];
    }
    pthread_mutex_unlock(&lock);
    if (taken) {
        taken->dispatch = dispatch_word;
        atomic_fetch_add_explicit(&taken->serial, 1, memory_order_relaxed);
    }
    return taken;
}

static void give_back(block *block) {
    atomic_store_explicit(&block->kind, KIND_OTHER, memory_order_release);
    pthread_mutex_lock(&lock);
    block->next_free = NULL;
    if (free_count++)
        free_last->next_free = block;
    else
        free_first = block;
    free_last = block;
    pthread_mutex_unlock(&lock);
}

uintptr_t weft_hot_handle(void) {
    return (uintptr_t)take_block();
}

void weft_hot_give_back(uintptr_t handle) {
    weft_hot_forget(handle);
    give_back((block *)handle);
}

void weft_hot_bind_queue(uintptr_t handle, uintptr_t queue, uintptr_t context) {
    block *target = (block *)handle;
    target->context = context;
    atomic_store(&target->events, 0);
    atomic_store(&target->retired, 0);
    atomic_store(&target->native, queue);
    atomic_store_explicit(&target->kind, KIND_QUEUE, memory_order_release);
}

uint32_t weft_hot_queue_events(uintptr_t handle) {
    block *queue = find(handle, KIND_QUEUE);
    return queue ? atomic_load(&queue->events) : 0;
}

void weft_hot_retire_queue(uintptr_t handle) {
    block *queue = find(handle, KIND_QUEUE);
    if (queue)
        atomic_store(&queue->retired, 1);
}

void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context) {
    block *target = (block *)handle;
    target->context = context;
    atomic_store(&target->size, size);
    atomic_store(&target->native, address);
    atomic_store_explicit(&target->kind, KIND_MEMORY, memory_order_release);
}

uintptr_t weft_hot_memory(uintptr_t handle) {
    block *memory = find(handle, KIND_MEMORY);
    return memory ? atomic_load(&memory->native) : 0;
}

int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count) {
    struct {
        uint64_t start, end;
    } seen[MOST_BUFFERS];
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t start = arguments[i].is_memory ? *(const uint64_t *)arguments[i].slot : 0;
        if (!start)
            continue;
        const block *memory = find(arguments[i].memory, KIND_MEMORY);
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
    pthread_mutex_lock(&lock);
    /* Another thread may be about to start a launch of a table that has just been given back. */
    if (free_table_count > TABLE_QUARANTINE) {
        taken = free_tables;
        free_tables = taken->next;
        free_table_count--;
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        taken = malloc(sizeof *taken);
    if (taken)
        atomic_init(&taken->count, 0);
    return taken;
}

int weft_hot_bind_kernel(uintptr_t handle, uintptr_t context, weft_hot_argument *arguments, uint32_t count) {
    block *target = (block *)handle;
    if (atomic_load(&target->kind) == KIND_KERNEL)
        return 0;
    table *launches = take_table();
    if (!launches)
        return -1;
    launches->context = context;
    launches->arguments = arguments;
    launches->argument_count = count;
    atomic_store(&target->native, (uintptr_t)launches);
    atomic_store_explicit(&target->kind, KIND_KERNEL, memory_order_release);
    return 0;
}

int weft_hot_keep(uintptr_t kernel, uintptr_t queue, const weft_hot_key *key, int noalias, uintptr_t function,
                  const void *packed, size_t launch_bytes, const void *args, size_t args_bytes,
                  size_t local_bytes, size_t context_bytes) {
    block *target = find(kernel, KIND_KERNEL), *on = find(queue, KIND_QUEUE);
    if (!target || !on || launch_bytes > LAUNCH_BYTES)
        return -1;
    table *launches = (table *)atomic_load(&target->native);
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
    block *target = find(kernel, KIND_KERNEL);
    if (!target)
        return;
    table *launches = (table *)atomic_load(&target->native);
    atomic_store_explicit(&target->kind, KIND_OTHER, memory_order_release);
    pthread_mutex_lock(&lock);
    launches->next = NULL;
    *(free_table_count++ ? &free_tables_last->next : &free_tables) = launches;
    free_tables_last = launches;
    pthread_mutex_unlock(&lock);
}

void weft_hot_next_epoch(void) {
    atomic_fetch_add(&current_epoch, 1);
}

void weft_hot_waiting(int32_t more) {
    atomic_fetch_add(&waiting, more);
}

int weft_hot_take_event(uintptr_t handle, weft_hot_event *event) {
    block *found = find(handle, KIND_EVENT);
    uint32_t expected = KIND_EVENT;
    if (!found || !atomic_compare_exchange_strong(&found->kind, &expected, KIND_OTHER))
        return 0;
    event->command = atomic_load(&found->native);
    event->queue = (uintptr_t)found->queue;
    return 1;
}

void weft_hot_event_met(uintptr_t queue) {
    atomic_fetch_sub(&((block *)queue)->events, 1);
}

uint32_t weft_hot_unmet(uintptr_t *handles, uint32_t room) {
    uint32_t count = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++) {
        if (atomic_load_explicit(&blocks[i].kind, memory_order_relaxed) != KIND_EVENT)
            continue;
        if (count < room)
            handles[count] = (uintptr_t)&blocks[i];
        count++;
    }
    pthread_mutex_unlock(&lock);
    return count;
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

static int32_t hot_enqueue(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                           const size_t *global_size, const size_t *local_size, uint32_t count,
                           const uintptr_t *events, uintptr_t *event) {
    block *on = find(queue, KIND_QUEUE), *target = find(kernel, KIND_KERNEL);
    const launch *kept = NULL;
    if (on && target && global_size && !count && !events &&
        atomic_load_explicit(&target->epoch, memory_order_acquire) == atomic_load(&current_epoch))
        kept = find_launch((const table *)atomic_load(&target->native), on, work_dim, offset, global_size,
                           local_size);
    if (!kept)
        return python_enqueue(queue, kernel, work_dim, offset, global_size, local_size, count, events, event);
    block *made = event ? take_block() : NULL;
    if (event && !made)
        return OUT_OF_HOST_MEMORY;
    command *started = enqueue_ndrange(atomic_load(&on->native), kept->function, kept->packed, kept->args,
                                       kept->args_bytes, kept->local_bytes, kept->context_bytes, NULL, 0);
    if (!started) {
        if (made)
            give_back(made);
        return OUT_OF_HOST_MEMORY;
    }
    if (!made) {
        command_release(started);
        return SUCCESS;
    }
    made->queue = on;
    atomic_fetch_add(&on->events, 1);
    atomic_store_explicit(&made->native, (uintptr_t)started, memory_order_relaxed);
    atomic_store_explicit(&made->kind, KIND_EVENT, memory_order_release);
    *event = (uintptr_t)made;
    return SUCCESS;
}

/* Only arguments of kernels that were launched before: all of them are set, so no count need be kept. */
static int32_t hot_set_argument(uintptr_t kernel, uint32_t index, size_t size, const void *value) {
    block *target = find(kernel, KIND_KERNEL);
    table *known = target ? (table *)atomic_load(&target->native) : NULL;
    if (!known || index >= known->argument_count || !value || !size || known->arguments[index].size != size)
        return python_set_argument(kernel, index, size, value);
    weft_hot_argument *argument = &known->arguments[index];
    if (!argument->is_memory) {
        memcpy((void *)argument->slot, value, size);
        return SUCCESS;
    }
    uintptr_t handle;
    memcpy(&handle, value, sizeof handle);
    block *memory = find(handle, KIND_MEMORY);
    if (!memory || memory->context != known->context)
        return python_set_argument(kernel, index, size, value);
    argument->memory = handle;
    *(uint64_t *)argument->slot = atomic_load(&memory->native);
    return SUCCESS;
}

static int32_t hot_finish(uintptr_t queue) {
    block *on = find(queue, KIND_QUEUE);
    if (!on)
        return python_finish(queue);
    if (queue_finish(atomic_load(&on->native)) == INTERRUPTED)
        return python_interrupted();
    return atomic_load(&waiting) ? python_finish(queue) : SUCCESS;
}

/* Events of one context that Python has not met; the client's references keep them while this waits. */
static int32_t hot_wait(uint32_t count, const uintptr_t *events) {
    if (!count || !events || atomic_load(&waiting))
        return python_wait(count, events);
    for (uint32_t i = 0; i < count; i++) {
        block *event = find(events[i], KIND_EVENT);
        if (!event || event->queue->context != ((block *)events[0])->queue->context)
            return python_wait(count, events);
    }
    int32_t result = SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        block *event = (block *)events[i];
        command *awaited = (command *)atomic_load(&event->native);
        if (command_status(awaited) > 0) {
            queue_flush(atomic_load(&event->queue->native));
            if (command_wait(awaited) == INTERRUPTED)
                return python_interrupted();
        }
        if (command_status(awaited) < 0)
            result = FAILED_EVENTS;
    }
    return result;
}

static int32_t hot_release_event(uintptr_t event) {
    block *found = find(event, KIND_EVENT);
    uint32_t expected = KIND_EVENT;
    if (!found || atomic_load(&found->queue->retired) ||
        !atomic_compare_exchange_strong(&found->kind, &expected, KIND_OTHER))
        return python_release_event(event);
    block *queue = found->queue;
    command_release((command *)atomic_load(&found->native));
    give_back(found);
    /* The queue may have been retired just now, and waits for its last event to go. */
    if (atomic_fetch_sub(&queue->events, 1) == 1 && atomic_load(&queue->retired))
        python_finish((uintptr_t)queue);
    return SUCCESS;
}

static _Atomic uintptr_t at_exit;

static void leave(void) {
    uintptr_t function = atomic_exchange(&at_exit, 0);
    if (function)
        ((void (*)(void))function)();
}

void weft_hot_at_exit(uintptr_t function) {
    static _Atomic int registered;
    if (function && !atomic_exchange(&registered, 1))
        atexit(leave);
    atomic_store(&at_exit, function);
}

weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *python) {
    python_enqueue = (enqueue_entry *)python->enqueue_ndrange_kernel;
    python_set_argument = (set_argument_entry *)python->set_kernel_arg;
    python_wait = (wait_entry *)python->wait_for_events;
    python_finish = (handle_entry *)python->finish;
    python_release_event = (handle_entry *)python->release_event;
    python_interrupted = (int32_t (*)(void))python->interrupted;
    return (weft_hot_fallbacks){.enqueue_ndrange_kernel = (uintptr_t)hot_enqueue,
                                .set_kernel_arg = (uintptr_t)hot_set_argument,
                                .finish = (uintptr_t)hot_finish,
                                .wait_for_events = (uintptr_t)hot_wait,
                                .release_event = (uintptr_t)hot_release_event};
}
