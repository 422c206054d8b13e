/* A handle is the address of a block in one reserved region, so that whatever a client passes can be told
 * from a handle by its address alone. A block says what it stands for (`kind`) as far as C needs to know.
 *
 * Python changes blocks while it holds its lock; the functions below read them without it. What they follow
 * is never freed: blocks and tables of launches are only used again, for the same purpose. A table grows
 * while it is read: an entry is complete before the count that includes it is.
 *
 * A client may hold Python's lock in one thread while it waits for another that calls OpenCL. So what releases,
 * retains, waits and queries does not wait for that lock. Each block counts the client's references. When the last
 * one goes, what remains to be done in Python is listed: the calling thread does it if it may enter Python
 * (`may_enter`), otherwise the next thread that calls Python, or the thread of notifications, which is woken for it.
 */
#define _GNU_SOURCE
#include "hot.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HANDLES = 1 << 20, QUARANTINE = 4096, TABLE_QUARANTINE = 16 };
enum { LAUNCHES = 16, LAUNCH_BYTES = 104, MOST_BUFFERS = 32, MOST_WAITS = 32 };
enum { SUCCESS = 0, OUT_OF_HOST_MEMORY = -6, NO_PROFILING = -7, FAILED_EVENTS = -14, INTERRUPTED = -2147483647 };
enum { INVALID_VALUE = -30, INVALID_DEVICE = -33, INVALID_CONTEXT = -34, INVALID_QUEUE = -36, INVALID_MEMORY = -38 };
enum { INVALID_SAMPLER = -41, INVALID_PROGRAM = -44, INVALID_KERNEL = -48, INVALID_EVENT = -58, INVALID_OPERATION = -59 };
enum { INVALID_COMMAND_BUFFER = -1138 };
enum { COMMAND_NDRANGE = 0x11F0, COMMAND_MARKER = 0x11FE, COMMAND_USER = 0x1204, COMMAND_BARRIER = 0x1205 };
enum { COMMAND_SVM_MEMCPY = 0x120A, COMMAND_MEMCPY_INTEL = 0x4205, COMMAND_COMMAND_BUFFER = 0x12A8 };
enum { EVENT_QUEUE = 0x11D0, EVENT_TYPE, EVENT_REFERENCES, EVENT_STATUS, EVENT_CONTEXT };
enum { PROFILING_QUEUED = 0x1280, PROFILING_SUBMIT, PROFILING_START, PROFILING_END, PROFILING_COMPLETE };

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
    _Atomic uint32_t serial;     /* of the object: a block is used again */
    _Atomic uintptr_t native;    /* queue, table of a kernel, command of an event, address of a buffer, sequence; or 0 */
    _Atomic uint32_t references; /* the client's */
    uint32_t listed;             /* guarded by the lock: LISTED, or LISTED_GONE */
    uintptr_t context;           /* of a queue, a buffer or an event */
    union {
        struct block *queue; /* of an event; NULL: a user event */
        _Atomic uint64_t epoch; /* a kernel: when its arguments were known to be good */
        _Atomic uint64_t size;  /* a buffer */
    };
    union {
        _Atomic uint32_t events; /* of a queue: those that Python has not met */
        uint32_t type;           /* of an event's command */
        _Atomic uint32_t users;  /* of a command buffer's sequence: threads */
    };
    _Atomic uint32_t met;   /* an event: Python has an object for it, and owns the command */
    struct block *next;     /* of those that are free, or listed for deletion */
} block;

enum { LISTED = 1, LISTED_GONE = 2 }; /* for deletion; and given back in the meantime: free once it is taken out */

_Static_assert(sizeof(block) == 64, "a block is a cache line");

typedef struct command command;
typedef command *enqueue_function(uintptr_t queue, uintptr_t function, const void *launch, const void *args,
                                  size_t args_bytes, size_t local_bytes, size_t context_bytes,
                                  command *const *wait, uint32_t wait_count);
typedef command *marker_function(uintptr_t queue, command *const *wait, uint32_t wait_count);

typedef int32_t enqueue_entry(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                              const size_t *global_size, const size_t *local_size, uint32_t count,
                              const uintptr_t *events, uintptr_t *event);
typedef int32_t set_argument_entry(uintptr_t kernel, uint32_t index, size_t size, const void *value);
typedef int32_t set_pointer_entry(uintptr_t kernel, uint32_t index, uintptr_t value);
typedef int32_t wait_entry(uint32_t count, const uintptr_t *events);
typedef int32_t marker_entry(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t copy_entry(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                           uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t query_entry(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret);
typedef int32_t handle_entry(uintptr_t handle);

static enqueue_function *enqueue_ndrange;
static command *(*enqueue_copy)(uintptr_t queue, uintptr_t to, uintptr_t from, size_t size, command *const *wait,
                                uint32_t wait_count);
static marker_function *enqueue_marker, *enqueue_barrier;
static command *(*replay)(uintptr_t queue, uintptr_t records, uint32_t count, command *const *wait, uint32_t wait_count,
                          int event);
static void (*command_release)(command *);
static int32_t (*command_status)(const command *);
static void (*command_times)(const command *, uint64_t *times);
static int32_t (*command_wait)(command *);
static int (*user_complete)(command *, int32_t status);
static int32_t (*queue_finish)(uintptr_t);
static void (*queue_flush)(uintptr_t);
static void (*notify_post)(void);
static weft_hot_fallbacks python;
static int32_t (*python_interrupted)(void);
static int (*may_enter)(void);
static void (*carry_out)(void);

/* The Python entry behind a function of this file. */
#define PYTHON(type, entry) ((type *)python.entry)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;
static uint32_t used; /* blocks that were ever given out */
static block *free_first, *free_last;
static uint32_t free_count;
static block *deletions, *deletions_last; /* objects to be deleted by Python if nothing needs them */
typedef struct freed {
    struct freed *next;
    weft_hot_freed memory;
} freed;
static freed *frees, *frees_last;
static _Atomic uint32_t pending; /* deletions and frees */
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
#define TAKE(name) *(void **)&name = (void *)functions->name
    TAKE(enqueue_ndrange), TAKE(enqueue_copy), TAKE(enqueue_marker), TAKE(enqueue_barrier), TAKE(replay);
    TAKE(command_release), TAKE(command_status), TAKE(command_times), TAKE(command_wait), TAKE(user_complete);
    TAKE(queue_finish), TAKE(queue_flush), TAKE(notify_post);
#undef TAKE
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

static bool is_block(uintptr_t handle) {
    uintptr_t distance = handle - (uintptr_t)blocks;
    return blocks && distance < sizeof(block) * HANDLES && !(distance % sizeof(block));
}

/* The block that `handle` is the address of, if it stands for an object of this kind; else NULL. */
static block *find(uintptr_t handle, uint32_t kind) {
    if (!is_block(handle))
        return NULL;
    block *found = (block *)handle;
    return atomic_load_explicit(&found->kind, memory_order_acquire) == kind ? found : NULL;
}

static block *take_block(void) {
    block *taken = NULL;
    pthread_mutex_lock(&lock);
    if (free_count > QUARANTINE || (blocks && used == HANDLES && free_count)) {
        taken = free_first;
        free_first = taken->next;
        free_count--;
    } else if (blocks && used < HANDLES) {
        taken = &blocks[used++];
    }
    pthread_mutex_unlock(&lock);
    if (taken) {
        taken->dispatch = dispatch_word;
        atomic_store_explicit(&taken->native, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->epoch, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->users, 0, memory_order_relaxed);
        atomic_store_explicit(&taken->references, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&taken->serial, 1, memory_order_relaxed);
    }
    return taken;
}

/* The caller holds the lock. */
static void append_free(block *block) {
    block->next = NULL;
    if (free_count++)
        free_last->next = block;
    else
        free_first = block;
    free_last = block;
}

static void give_back(block *block) {
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&block->kind, WEFT_HOT_OTHER, memory_order_release);
    if (block->listed)
        block->listed = LISTED_GONE;
    else
        append_free(block);
    pthread_mutex_unlock(&lock);
}

/* Has Python look at an object of that kind and delete it if nothing needs it. */
static void list_deletion(block *target, uint32_t kind) {
    pthread_mutex_lock(&lock);
    if (!target->listed && atomic_load(&target->kind) == kind) {
        target->listed = LISTED;
        target->next = NULL;
        if (deletions)
            deletions_last->next = target;
        else
            deletions = target;
        deletions_last = target;
        atomic_fetch_add(&pending, 1);
    }
    pthread_mutex_unlock(&lock);
}

uintptr_t weft_hot_next_deletion(void) {
    block *taken = NULL;
    pthread_mutex_lock(&lock);
    while (!taken && deletions) {
        taken = deletions;
        deletions = taken->next;
        atomic_fetch_sub(&pending, 1);
        bool gone = taken->listed == LISTED_GONE;
        taken->listed = 0;
        if (gone) {
            append_free(taken);
            taken = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return (uintptr_t)taken;
}

int weft_hot_next_free(weft_hot_freed *memory) {
    pthread_mutex_lock(&lock);
    freed *taken = frees;
    if (taken) {
        frees = taken->next;
        atomic_fetch_sub(&pending, 1);
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        return 0;
    *memory = taken->memory;
    free(taken);
    return 1;
}

int weft_hot_pending(void) {
    return atomic_load_explicit(&pending, memory_order_relaxed) != 0;
}

/* Something was listed. */
static void see_to_pending(void) {
    if (may_enter())
        carry_out();
    else
        notify_post();
}

uint32_t weft_hot_references(uintptr_t handle) {
    return is_block(handle) ? atomic_load(&((block *)handle)->references) : 1; /* the platform's is the shared object's */
}

/* An object that others need may be retained again when the client has released it. */
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

uintptr_t weft_hot_handle(void) {
    return (uintptr_t)take_block();
}

void weft_hot_give_back(uintptr_t handle) {
    weft_hot_forget(handle);
    give_back((block *)handle);
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

uint32_t weft_hot_queue_events(uintptr_t handle) {
    block *queue = find(handle, WEFT_HOT_QUEUE);
    return queue ? atomic_load(&queue->events) : 0;
}

void weft_hot_bind_event(uintptr_t handle, uintptr_t bound, uintptr_t queue, uintptr_t context, uint32_t type) {
    block *target = (block *)handle;
    target->context = context;
    target->queue = (block *)queue;
    target->type = type;
    atomic_store(&target->met, 1);
    atomic_store(&target->native, bound);
    weft_hot_bind(handle, WEFT_HOT_EVENT);
}

void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context) {
    block *target = (block *)handle;
    target->context = context;
    atomic_store(&target->size, size);
    atomic_store(&target->native, address);
    weft_hot_bind(handle, WEFT_HOT_BUFFER);
}

uintptr_t weft_hot_memory(uintptr_t handle) {
    block *memory = find(handle, WEFT_HOT_BUFFER);
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
        const block *memory = find(arguments[i].memory, WEFT_HOT_BUFFER);
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
    block *target = find(kernel, WEFT_HOT_KERNEL), *on = find(queue, WEFT_HOT_QUEUE);
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
    block *target = find(kernel, WEFT_HOT_KERNEL);
    table *launches = target ? (table *)atomic_exchange(&target->native, 0) : NULL;
    if (!launches)
        return;
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
    block *found = find(handle, WEFT_HOT_EVENT);
    uint32_t unmet = 0;
    if (!found || !atomic_compare_exchange_strong(&found->met, &unmet, 1))
        return 0;
    event->command = atomic_load(&found->native);
    event->queue = (uintptr_t)found->queue;
    event->type = found->type;
    return 1;
}

void weft_hot_event_met(uintptr_t queue) {
    atomic_fetch_sub(&((block *)queue)->events, 1);
}

uint32_t weft_hot_unmet(uintptr_t *handles, uint32_t room) {
    uint32_t count = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++) {
        if (atomic_load(&blocks[i].kind) != WEFT_HOT_EVENT || atomic_load(&blocks[i].met))
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

/* The commands of a wait list on a queue; false: Python has to look at it. */
static bool find_waits(const block *queue, uint32_t count, const uintptr_t *events, command **wait) {
    if (count > MOST_WAITS || !count != !events)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const block *event = find(events[i], WEFT_HOT_EVENT);
        if (!event || event->context != queue->context)
            return false;
        wait[i] = (command *)atomic_load(&event->native);
    }
    return true;
}

/* The end of an enqueue: `made` is the block of the event that the client asked for, or NULL. */
static int32_t enqueued(block *on, command *started, uint32_t type, block *made, uintptr_t *event) {
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
    made->context = on->context;
    made->type = type;
    atomic_store_explicit(&made->met, 0, memory_order_relaxed);
    atomic_fetch_add(&on->events, 1);
    atomic_store_explicit(&made->native, (uintptr_t)started, memory_order_relaxed);
    weft_hot_bind((uintptr_t)made, WEFT_HOT_EVENT);
    *event = (uintptr_t)made;
    return SUCCESS;
}

static int32_t hot_enqueue(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                           const size_t *global_size, const size_t *local_size, uint32_t count,
                           const uintptr_t *events, uintptr_t *event) {
    block *on = find(queue, WEFT_HOT_QUEUE), *target = find(kernel, WEFT_HOT_KERNEL);
    const table *launches = target ? (const table *)atomic_load(&target->native) : NULL;
    const launch *kept = NULL;
    command *wait[MOST_WAITS];
    if (on && launches && global_size && find_waits(on, count, events, wait) &&
        atomic_load_explicit(&target->epoch, memory_order_acquire) == atomic_load(&current_epoch))
        kept = find_launch(launches, on, work_dim, offset, global_size, local_size);
    if (!kept)
        return PYTHON(enqueue_entry, enqueue_ndrange_kernel)(queue, kernel, work_dim, offset, global_size, local_size,
                                                             count, events, event);
    block *made = event ? take_block() : NULL;
    if (event && !made)
        return OUT_OF_HOST_MEMORY;
    command *started = enqueue_ndrange(atomic_load(&on->native), kept->function, kept->packed, kept->args,
                                       kept->args_bytes, kept->local_bytes, kept->context_bytes, wait, count);
    return enqueued(on, started, COMMAND_NDRANGE, made, event);
}

void weft_hot_bind_sequence(uintptr_t handle, const weft_hot_sequence *sequence) {
    block *target = (block *)handle;
    atomic_store(&target->native, (uintptr_t)sequence);
    while (atomic_load(&target->users)) /* they replay the old one, which takes microseconds and waits for nobody */
        sched_yield();
}

static int32_t hot_enqueue_buffer(uint32_t num_queues, const uintptr_t *queues, uintptr_t handle, uint32_t count,
                                  const uintptr_t *events, uintptr_t *event) {
    typedef int32_t buffer_entry(uint32_t num_queues, const uintptr_t *queues, uintptr_t buffer, uint32_t count,
                                 const uintptr_t *events, uintptr_t *event);
    block *buffer = num_queues || queues ? NULL : find(handle, WEFT_HOT_COMMAND_BUFFER), *on = NULL, *made = NULL;
    command *wait[MOST_WAITS], *started = NULL;
    if (buffer) {
        atomic_fetch_add(&buffer->users, 1); /* before the sequence is read: it stays until this is taken back */
        const weft_hot_sequence *sequence = (const weft_hot_sequence *)atomic_load(&buffer->native);
        on = sequence ? find(sequence->queue, WEFT_HOT_QUEUE) : NULL;
        on = on && find_waits(on, count, events, wait) && (!event || (made = take_block())) ? on : NULL;
        if (on)
            started = replay(atomic_load(&on->native), sequence->records, sequence->count, wait, count, event != NULL);
        atomic_fetch_sub(&buffer->users, 1);
    }
    if (!on)
        return PYTHON(buffer_entry, enqueue_command_buffer_khr)(num_queues, queues, handle, count, events, event);
    return enqueued(on, started, COMMAND_COMMAND_BUFFER, made, event);
}

static int32_t hot_marker_or_barrier(marker_function *enqueue, uint32_t type, marker_entry *python_entry,
                                     uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = find(queue, WEFT_HOT_QUEUE);
    command *wait[MOST_WAITS];
    if (!on || !find_waits(on, count, events, wait))
        return python_entry(queue, count, events, event);
    block *made = event ? take_block() : NULL;
    if (event && !made)
        return OUT_OF_HOST_MEMORY;
    return enqueued(on, enqueue(atomic_load(&on->native), wait, count), type, made, event);
}

static int32_t hot_marker(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_marker_or_barrier(enqueue_marker, COMMAND_MARKER, PYTHON(marker_entry, enqueue_marker_with_wait_list),
                                 queue, count, events, event);
}

static int32_t hot_barrier(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_marker_or_barrier(enqueue_barrier, COMMAND_BARRIER, PYTHON(marker_entry, enqueue_barrier_with_wait_list),
                                 queue, count, events, event);
}

/* A blocking copy that may enter Python does: a handler of a signal may have to end it. */
static int32_t hot_copy(uint32_t type, copy_entry *python_entry, uintptr_t queue, uint32_t blocking, uintptr_t to,
                        uintptr_t from, size_t size, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = find(queue, WEFT_HOT_QUEUE);
    command *wait[MOST_WAITS];
    bool overlapping = to < from ? from - to < size : to - from < size;
    if (!on || !to || !from || overlapping || !find_waits(on, count, events, wait) || (blocking && may_enter()))
        return python_entry(queue, blocking, to, from, size, count, events, event);
    block *made = event ? take_block() : NULL;
    if (event && !made)
        return OUT_OF_HOST_MEMORY;
    command *started = enqueue_copy(atomic_load(&on->native), to, from, size, wait, count);
    if (started && blocking && command_wait(started) < 0) {
        enqueued(on, started, type, made, event);
        return FAILED_EVENTS;
    }
    return enqueued(on, started, type, made, event);
}

static int32_t hot_svm_memcpy(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                              uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_copy(COMMAND_SVM_MEMCPY, PYTHON(copy_entry, enqueue_svm_memcpy), queue, blocking, to, from, size, count,
                    events, event);
}

static int32_t hot_memcpy_intel(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                                uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return hot_copy(COMMAND_MEMCPY_INTEL, PYTHON(copy_entry, enqueue_memcpy_intel), queue, blocking, to, from, size,
                    count, events, event);
}

/* Only arguments of kernels that were launched before: all of them are set, so no count need be kept. */
static weft_hot_argument *find_argument(uintptr_t kernel, uint32_t index) {
    block *target = find(kernel, WEFT_HOT_KERNEL);
    table *known = target ? (table *)atomic_load(&target->native) : NULL;
    return known && index < known->argument_count ? &known->arguments[index] : NULL;
}

static int32_t hot_set_argument(uintptr_t kernel, uint32_t index, size_t size, const void *value) {
    weft_hot_argument *argument = find_argument(kernel, index);
    if (!argument || !value || !size || argument->size != size)
        return PYTHON(set_argument_entry, set_kernel_arg)(kernel, index, size, value);
    if (!argument->is_memory) {
        memcpy((void *)argument->slot, value, size);
        return SUCCESS;
    }
    uintptr_t handle;
    memcpy(&handle, value, sizeof handle);
    block *memory = find(handle, WEFT_HOT_BUFFER);
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

static int32_t hot_set_svm_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_svm_pointer), kernel, index, value);
}

static int32_t hot_set_mem_pointer(uintptr_t kernel, uint32_t index, uintptr_t value) {
    return set_pointer(PYTHON(set_pointer_entry, set_kernel_arg_mem_pointer_intel), kernel, index, value);
}

static int32_t hot_finish(uintptr_t queue) {
    block *on = find(queue, WEFT_HOT_QUEUE);
    if (!on)
        return PYTHON(handle_entry, finish)(queue);
    if (queue_finish(atomic_load(&on->native)) == INTERRUPTED)
        return python_interrupted();
    return atomic_load(&waiting) && may_enter() ? PYTHON(handle_entry, finish)(queue) : SUCCESS;
}

static int32_t hot_flush(uintptr_t queue) {
    block *on = find(queue, WEFT_HOT_QUEUE);
    if (!on)
        return PYTHON(handle_entry, flush)(queue);
    queue_flush(atomic_load(&on->native));
    return SUCCESS;
}

/* Events of one context; the client's references keep them while this waits. */
static int32_t hot_wait(uint32_t count, const uintptr_t *events) {
    if (!count || !events)
        return PYTHON(wait_entry, wait_for_events)(count, events);
    for (uint32_t i = 0; i < count; i++) {
        block *event = find(events[i], WEFT_HOT_EVENT);
        if (!event || event->context != ((block *)events[0])->context)
            return PYTHON(wait_entry, wait_for_events)(count, events);
    }
    for (uint32_t i = 0; i < count; i++) {
        const block *event = (const block *)events[i];
        if (event->queue && command_status((command *)atomic_load(&event->native)) > 0)
            queue_flush(atomic_load(&event->queue->native));
    }
    int32_t result = SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        command *awaited = (command *)atomic_load(&((block *)events[i])->native);
        if (command_status(awaited) > 0 && command_wait(awaited) == INTERRUPTED)
            return python_interrupted();
        if (command_status(awaited) < 0)
            result = FAILED_EVENTS;
    }
    return atomic_load(&waiting) && may_enter() ? PYTHON(wait_entry, wait_for_events)(count, events) : result;
}

static int32_t give(uint64_t from, size_t have, size_t size, void *value, size_t *size_ret) {
    if (value && size < have)
        return INVALID_VALUE;
    if (value)
        memcpy(value, &from, have); /* little-endian: the first bytes are the smaller number */
    if (size_ret)
        *size_ret = have;
    return SUCCESS;
}

static int32_t event_info(const block *event, uint32_t param, size_t size, void *value, size_t *size_ret) {
    switch (param) {
    case EVENT_QUEUE:
        return give((uintptr_t)event->queue, sizeof(uintptr_t), size, value, size_ret);
    case EVENT_TYPE:
        return give(event->type, sizeof(uint32_t), size, value, size_ret);
    case EVENT_REFERENCES:
        return give(atomic_load(&event->references), sizeof(uint32_t), size, value, size_ret);
    case EVENT_STATUS:
        return give((uint32_t)command_status((const command *)atomic_load(&event->native)), sizeof(int32_t), size,
                    value, size_ret);
    case EVENT_CONTEXT:
        return give(event->context, sizeof(uintptr_t), size, value, size_ret);
    default:
        return INVALID_VALUE;
    }
}

static int32_t hot_event_info(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const block *event = find(handle, WEFT_HOT_EVENT);
    int32_t code = event ? event_info(event, param, size, value, size_ret) : INVALID_EVENT;
    /* Python tells the context's callback what is wrong. */
    return code && may_enter() ? PYTHON(query_entry, get_event_info)(handle, param, size, value, size_ret) : code;
}

static int32_t profiling_info(const block *event, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const command *ended = (const command *)atomic_load(&event->native);
    uint64_t times[4] = {0};
    if (event->type == COMMAND_USER || command_status(ended))
        return NO_PROFILING;
    command_times(ended, times);
    if (!times[0])
        return NO_PROFILING;
    if (param < PROFILING_QUEUED || param > PROFILING_COMPLETE)
        return INVALID_VALUE;
    /* Kernels enqueue no child kernels, so a command is complete when it ends. */
    uint32_t index = param == PROFILING_COMPLETE ? PROFILING_END - PROFILING_QUEUED : param - PROFILING_QUEUED;
    return give(times[index], sizeof *times, size, value, size_ret);
}

static int32_t hot_profiling_info(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const block *event = find(handle, WEFT_HOT_EVENT);
    int32_t code = event ? profiling_info(event, param, size, value, size_ret) : INVALID_EVENT;
    return code && may_enter() ? PYTHON(query_entry, get_event_profiling_info)(handle, param, size, value, size_ret)
                               : code;
}

static int32_t hot_set_user_event_status(uintptr_t handle, int32_t status) {
    typedef int32_t status_entry(uintptr_t event, int32_t status);
    const block *event = find(handle, WEFT_HOT_EVENT);
    int32_t code = !event || event->type != COMMAND_USER ? INVALID_EVENT : status > 0 ? INVALID_VALUE : SUCCESS;
    if (!code && user_complete((command *)atomic_load(&event->native), status))
        code = INVALID_OPERATION;
    return code && may_enter() ? PYTHON(status_entry, set_user_event_status)(handle, status) : code;
}

/* The client's last reference is gone. */
static void let_go(block *target, uint32_t kind) {
    uint32_t unmet = 0;
    if (kind != WEFT_HOT_EVENT || !atomic_compare_exchange_strong(&target->met, &unmet, 1)) {
        list_deletion(target, kind);
        see_to_pending();
        return;
    }
    block *queue = target->queue;
    command_release((command *)atomic_load(&target->native));
    give_back(target);
    /* A queue that the client has released waits for its last event to go. */
    if (atomic_fetch_sub(&queue->events, 1) == 1 && !atomic_load(&queue->references)) {
        list_deletion(queue, WEFT_HOT_QUEUE);
        see_to_pending();
    }
}

/* The object behind a handle, if it is of one of two kinds; else NULL. */
static block *find_either(uintptr_t handle, uint32_t kind, uint32_t other) {
    block *found = find(handle, kind);
    return found ? found : find(handle, other);
}

static int32_t retain(uintptr_t handle, uint32_t kind, uint32_t other, int32_t invalid, handle_entry *python_entry) {
    block *target = find_either(handle, kind, other);
    if (!target)
        return may_enter() ? python_entry(handle) : invalid;
    if (atomic_load(&target->kind) != WEFT_HOT_ROOT_DEVICE)
        weft_hot_retain(handle);
    return SUCCESS;
}

static int32_t release(uintptr_t handle, uint32_t kind, uint32_t other, int32_t invalid, handle_entry *python_entry) {
    block *target = find_either(handle, kind, other);
    uint32_t found = target ? atomic_load(&target->kind) : WEFT_HOT_OTHER;
    if (found == WEFT_HOT_ROOT_DEVICE)
        return SUCCESS;
    if (found == WEFT_HOT_QUEUE) /* the specification has a release flush */
        queue_flush(atomic_load(&target->native));
    int left = target ? weft_hot_release(handle) : -1;
    if (left < 0)
        return may_enter() ? python_entry(handle) : invalid;
    if (!left)
        let_go(target, found);
    return SUCCESS;
}

#define COUNTED(name, kind, other, invalid)                                                                            \
    static int32_t hot_retain_##name(uintptr_t handle) {                                                               \
        return retain(handle, kind, other, invalid, PYTHON(handle_entry, retain_##name));                              \
    }                                                                                                                  \
    static int32_t hot_release_##name(uintptr_t handle) {                                                              \
        return release(handle, kind, other, invalid, PYTHON(handle_entry, release_##name));                            \
    }

/* Root devices are not counted: they are found, and neither retained nor released. */
COUNTED(context, WEFT_HOT_CONTEXT, WEFT_HOT_CONTEXT, INVALID_CONTEXT)
COUNTED(command_queue, WEFT_HOT_QUEUE, WEFT_HOT_QUEUE, INVALID_QUEUE)
COUNTED(mem_object, WEFT_HOT_BUFFER, WEFT_HOT_IMAGE, INVALID_MEMORY)
COUNTED(sampler, WEFT_HOT_SAMPLER, WEFT_HOT_SAMPLER, INVALID_SAMPLER)
COUNTED(program, WEFT_HOT_PROGRAM, WEFT_HOT_PROGRAM, INVALID_PROGRAM)
COUNTED(kernel, WEFT_HOT_KERNEL, WEFT_HOT_KERNEL, INVALID_KERNEL)
COUNTED(event, WEFT_HOT_EVENT, WEFT_HOT_EVENT, INVALID_EVENT)
COUNTED(command_buffer_khr, WEFT_HOT_COMMAND_BUFFER, WEFT_HOT_COMMAND_BUFFER, INVALID_COMMAND_BUFFER)
COUNTED(device, WEFT_HOT_SUB_DEVICE, WEFT_HOT_ROOT_DEVICE, INVALID_DEVICE)

/* A thread that cannot enter Python is not told that its pointer is none of the context's. */
static int32_t hot_mem_free(uintptr_t context, uintptr_t pointer) {
    typedef int32_t free_entry(uintptr_t context, uintptr_t pointer);
    freed *made = may_enter() || !find(context, WEFT_HOT_CONTEXT) ? NULL : malloc(sizeof *made);
    if (!made)
        return PYTHON(free_entry, mem_free_intel)(context, pointer);
    *made = (freed){.memory = {.context = context, .pointer = pointer}};
    pthread_mutex_lock(&lock);
    if (frees)
        frees_last->next = made;
    else
        frees = made;
    frees_last = made;
    atomic_fetch_add(&pending, 1);
    pthread_mutex_unlock(&lock);
    see_to_pending();
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

weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *entries, const weft_hot_callbacks *callbacks) {
    python = *entries;
    python_interrupted = (int32_t (*)(void))callbacks->interrupted;
    may_enter = (int (*)(void))callbacks->may_enter;
    carry_out = (void (*)(void))callbacks->carry_out;
#define COUNTED_ENTRIES(name) .retain_##name = (uintptr_t)hot_retain_##name, .release_##name = (uintptr_t)hot_release_##name
    return (weft_hot_fallbacks){.enqueue_ndrange_kernel = (uintptr_t)hot_enqueue,
                                .set_kernel_arg = (uintptr_t)hot_set_argument,
                                .set_kernel_arg_svm_pointer = (uintptr_t)hot_set_svm_pointer,
                                .set_kernel_arg_mem_pointer_intel = (uintptr_t)hot_set_mem_pointer,
                                .finish = (uintptr_t)hot_finish,
                                .flush = (uintptr_t)hot_flush,
                                .wait_for_events = (uintptr_t)hot_wait,
                                .get_event_info = (uintptr_t)hot_event_info,
                                .get_event_profiling_info = (uintptr_t)hot_profiling_info,
                                .set_user_event_status = (uintptr_t)hot_set_user_event_status,
                                .enqueue_marker_with_wait_list = (uintptr_t)hot_marker,
                                .enqueue_barrier_with_wait_list = (uintptr_t)hot_barrier,
                                .enqueue_svm_memcpy = (uintptr_t)hot_svm_memcpy,
                                .enqueue_memcpy_intel = (uintptr_t)hot_memcpy_intel,
                                .mem_free_intel = (uintptr_t)hot_mem_free,
                                .enqueue_command_buffer_khr = (uintptr_t)hot_enqueue_buffer,
                                COUNTED_ENTRIES(device), COUNTED_ENTRIES(context), COUNTED_ENTRIES(command_queue),
                                COUNTED_ENTRIES(mem_object), COUNTED_ENTRIES(sampler), COUNTED_ENTRIES(program),
                                COUNTED_ENTRIES(kernel), COUNTED_ENTRIES(event), COUNTED_ENTRIES(command_buffer_khr)};
#undef COUNTED_ENTRIES
}
