/* Declarations shared by the files of the native side.
 *
 * Handles. A handle is the address of a block in one reserved region, so its value alone tells whether a pointer of the
 * client is a handle. `kind` of a block says what object it stands for, as far as C needs to know.
 *
 * Reading without locks. Python changes blocks while it holds the GIL; the functions below read them without it. The
 * memory that they reach from a block is not freed while they may read it: blocks and tables of launches are only
 * reused for the same purpose, and a kernel is freed only after 64 others have been deleted. A table of launches grows
 * while it is read: an entry is complete before the count that includes it is published.
 *
 * No waits for the GIL. A thread of the client may hold the GIL while it waits for another thread that calls OpenCL.
 * Functions that release, retain, wait and query therefore do not wait for the GIL. C counts the client's references in
 * the block. When the last one is released, the remaining work of Python is listed. The calling thread does it if it is
 * alone (`is_alone`). Otherwise the next thread that enters Python does, or the notification thread, which is woken for
 * it.
 */
#ifndef WEFT_HOT_INTERNAL_H
#define WEFT_HOT_INTERNAL_H

#include "hot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

enum { HANDLES = 1 << 20, MOST_WAITS = 32 /* without an allocation */ };
enum { COMMAND_NDRANGE = 0x11F0 };
enum {
    SUCCESS = 0,
    OUT_OF_RESOURCES = -5,
    OUT_OF_HOST_MEMORY = -6,
    FAILED_EVENTS = -14,
    INVALID_VALUE = -30,
    INVALID_CONTEXT = -34,
    INVALID_QUEUE = -36,
    INVALID_MEMORY = -38,
    INVALID_KERNEL = -48,
    INVALID_WAIT_LIST = -57,
    INVALID_EVENT = -58
};
enum { INTERRUPTED = -2147483647 };

typedef struct block {
    _Alignas(64) uintptr_t dispatch; /* the dispatch pointer, which loaders read */
    _Atomic uint32_t kind;       /* WEFT_HOT_*; stored with release order after the other fields, loaded with acquire */
    _Atomic uint32_t serial;     /* incremented each time the block is taken, to tell its objects apart */
    _Atomic uintptr_t native;    /* the native queue, weft_hot_kernel, command of an event, address of a buffer, sequence of a
                                    command buffer, limits of a context, or record of a program; or 0 */
    _Atomic uint32_t references; /* the client's reference count */
    uint32_t listed;             /* 0, LISTED or LISTED_GONE; guarded by hot_lock */
    uintptr_t context;           /* of a queue, a buffer or an event */
    union {
        struct block *queue;    /* event: its queue; NULL for a user event */
        _Atomic uint64_t epoch; /* kernel: the epoch for which its arguments were confirmed */
        _Atomic uint64_t size;  /* buffer: its size in bytes */
        struct hot_unadopted_queue *unadopted; /* queue that Python has not adopted: its properties */
    };
    union {
        _Atomic uint32_t events;     /* queue: number of its events that Python has not adopted, and of deferred launches */
        uint32_t type;               /* event: the type of its command */
        _Atomic uint32_t users;      /* command buffer: number of threads that use its sequence */
        _Atomic uint32_t deferred;   /* kernel: number of launches that wait to be prepared */
        _Atomic uint32_t dependents; /* context: number of its allocations of shared memory, and of its queues, buffers and
                                        programs that Python has not adopted; program: number of such kernels */
        uint32_t flags;              /* buffer: the flags of clCreateBuffer */
    };
    _Atomic uint32_t adopted; /* event, queue, buffer, program, kernel. 0: C created the object and owns what `native`
                                 refers to; 1: Python has an object for it and is the owner. Changed from 0 to 1 by
                                 compare-exchange, so exactly one thread becomes the owner or deletes the object */
    struct block *next;       /* in the free list or the list of deletions */
} block;

/* LISTED_GONE: the handle was given back while listed; the block becomes free when it is taken off the list. */
enum { LISTED = 1, LISTED_GONE = 2 };

_Static_assert(sizeof(block) == 64, "a block is a cache line");

typedef struct command command;
typedef command *marker_function(uintptr_t queue, command *const *wait, uint32_t wait_count);

/* The functions of the worker pool. */
typedef struct hot_pool_functions {
    command *(*enqueue_ndrange)(uintptr_t queue, uintptr_t function, const void *launch, const void *args,
                                size_t args_bytes, size_t local_bytes, size_t context_bytes, command *const *wait,
                                uint32_t wait_count, const _Atomic uint64_t *word, uint64_t value);
    command *(*enqueue_deferred)(uintptr_t queue, uintptr_t args, size_t args_bytes, command *const *wait,
                                 uint32_t wait_count, const _Atomic uint64_t *word, uint64_t value);
    void (*deferred_fail)(command *, int32_t status);
    command *(*enqueue_copy)(uintptr_t queue, uintptr_t to, uintptr_t from, size_t size, command *const *wait,
                             uint32_t wait_count);
    command *(*enqueue_fill)(uintptr_t queue, uintptr_t to, const void *pattern, size_t pattern_size, size_t size,
                             command *const *wait, uint32_t wait_count);
    marker_function *enqueue_marker, *enqueue_barrier;
    command *(*replay)(uintptr_t queue, uintptr_t records, uint32_t count, command *const *wait, uint32_t wait_count,
                       int event);
    void (*command_release)(command *);
    int32_t (*command_status)(const command *);
    void (*command_times)(const command *, uint64_t *times);
    int32_t (*command_wait)(command *);
    void (*command_cancel)(command *);
    int (*user_complete)(command *, int32_t status);
    uintptr_t (*queue_new)(uintptr_t pool, int out_of_order, int profiling);
    void (*queue_release)(uintptr_t);
    int32_t (*queue_finish)(uintptr_t);
    int32_t (*queue_take_failure)(uintptr_t);
    void (*queue_flush)(uintptr_t);
    void (*notify_post)(void);
    void *(*allocate)(size_t size, size_t alignment);
    void (*free)(void *);
    uint64_t (*waits)(void);
    void (*name_function)(uintptr_t function, const char *name);
} hot_pool_functions;

typedef int32_t enqueue_entry(uintptr_t queue, uintptr_t kernel, uint32_t work_dim, const size_t *offset,
                              const size_t *global_size, const size_t *local_size, uint32_t count,
                              const uintptr_t *events, uintptr_t *event);
typedef int32_t set_argument_entry(uintptr_t kernel, uint32_t index, size_t size, const void *value);
typedef int32_t set_pointer_entry(uintptr_t kernel, uint32_t index, uintptr_t value);
typedef int32_t set_info_entry(uintptr_t kernel, uint32_t param, size_t size, const void *value);
typedef int32_t wait_entry(uint32_t count, const uintptr_t *events);
typedef int32_t marker_entry(uintptr_t queue, uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t copy_entry(uintptr_t queue, uint32_t blocking, uintptr_t to, uintptr_t from, size_t size,
                           uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t fill_entry(uintptr_t queue, uintptr_t to, const void *pattern, size_t pattern_size, size_t size,
                           uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t query_entry(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret);
typedef int32_t kernel_query_entry(uintptr_t kernel, uintptr_t device, uint32_t param, size_t size, void *value,
                                   size_t *size_ret);
typedef int32_t sub_group_entry(uintptr_t kernel, uintptr_t device, uint32_t param, size_t input_size, const void *input,
                                size_t size, void *value, size_t *size_ret);
typedef int32_t handle_entry(uintptr_t handle);
typedef uintptr_t host_alloc_entry(uintptr_t context, const uint64_t *properties, size_t size, uint32_t alignment,
                                   int32_t *errcode);
typedef uintptr_t device_alloc_entry(uintptr_t context, uintptr_t device, const uint64_t *properties, size_t size,
                                     uint32_t alignment, int32_t *errcode);
typedef int32_t migrate_entry(uintptr_t queue, uintptr_t pointer, size_t size, uint64_t flags, uint32_t count,
                              const uintptr_t *events, uintptr_t *event);
typedef int32_t advise_entry(uintptr_t queue, uintptr_t pointer, size_t size, uint32_t advice, uint32_t count,
                             const uintptr_t *events, uintptr_t *event);
typedef uintptr_t queue_entry(uintptr_t context, uintptr_t device, const uint64_t *properties, int32_t *errcode);
typedef uintptr_t buffer_entry(uintptr_t context, uint64_t flags, size_t size, void *pointer, int32_t *errcode);
typedef int32_t transfer_entry(uintptr_t queue, uintptr_t buffer, uint32_t blocking, size_t offset, size_t size,
                               uintptr_t pointer, uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef int32_t copy_buffer_entry(uintptr_t queue, uintptr_t source, uintptr_t target, size_t source_offset,
                                  size_t target_offset, size_t size, uint32_t count, const uintptr_t *events,
                                  uintptr_t *event);
typedef int32_t fill_buffer_entry(uintptr_t queue, uintptr_t buffer, const void *pattern, size_t pattern_size, size_t offset,
                                  size_t size, uint32_t count, const uintptr_t *events, uintptr_t *event);
typedef uintptr_t program_entry(uintptr_t context, const void *il, size_t bytes, int32_t *errcode);
typedef int32_t specialize_entry(uintptr_t program, uint32_t id, size_t size, const void *value);
typedef int32_t build_entry(uintptr_t program, uint32_t device_count, const uintptr_t *devices, const char *options,
                            uintptr_t notify, uintptr_t user_data);
typedef uintptr_t kernel_entry(uintptr_t program, const char *name, int32_t *errcode);
typedef int32_t allocation_query_entry(uintptr_t context, uintptr_t pointer, uint32_t param, size_t size, void *value,
                                       size_t *size_ret);

/* hot.c */
extern hot_pool_functions hot_pool;
extern weft_hot_fallbacks hot_python;
/* The functions of weft_hot_callbacks. */
extern int32_t (*hot_interrupted)(void);
extern int (*hot_may_enter)(void);
extern int (*hot_within)(void);
extern void (*hot_carry_out)(void);
extern void (*hot_prepare)(void);
extern void *(*hot_release_gil)(void);
extern void (*hot_reacquire_gil)(void *state);
extern int (*hot_is_alone)(void);
/* The Python entry that a C function replaces. */
#define PYTHON(type, entry) ((type *)hot_python.entry)

/* hot_blocks.c */
extern block *hot_blocks;
/* Guards all lists and tables of the native side. Held for short, bounded work only: no call of Python, no wait for a
 * command or another process, and no other lock of Weft while it is held. */
extern pthread_mutex_t hot_lock;
block *hot_take_block(void);
void hot_free_block(block *block);
/* The caller holds the lock. */
void hot_append_free(block *block);
/* Finds the next queue of a context, from block number `*from` on, that the client has not released. Returns it with a
 * reference that the caller must release, and advances `*from`; NULL if there are no more. */
block *hot_retain_queue(uintptr_t context, uint32_t *from);

static inline bool hot_is_block(uintptr_t handle) {
    uintptr_t distance = handle - (uintptr_t)hot_blocks;
    return hot_blocks && distance < sizeof(block) * HANDLES && !(distance % sizeof(block));
}

/* The block of `handle` if it stands for an object of this kind, else NULL. */
static inline block *hot_find(uintptr_t handle, uint32_t kind) {
    if (!hot_is_block(handle))
        return NULL;
    block *found = (block *)handle;
    return atomic_load_explicit(&found->kind, memory_order_acquire) == kind ? found : NULL;
}

/* hot_pending.c */
extern _Atomic int32_t hot_waiting;
void hot_list_deletion(block *target, uint32_t kind);
void hot_dispatch_pending(void);
void hot_forget_listener(void); /* called in the child of a fork */
void hot_svm_free(uintptr_t context, uintptr_t pointer);
int32_t hot_mem_free(uintptr_t context, uintptr_t pointer);
int32_t hot_mem_blocking_free(uintptr_t context, uintptr_t pointer);

/* hot_references.c */
#define COUNTED_ENTRY(name) handle_entry hot_retain_##name, hot_release_##name
COUNTED_ENTRY(context);
COUNTED_ENTRY(command_queue);
COUNTED_ENTRY(mem_object);
COUNTED_ENTRY(sampler);
COUNTED_ENTRY(program);
COUNTED_ENTRY(kernel);
COUNTED_ENTRY(event);
COUNTED_ENTRY(command_buffer_khr);
COUNTED_ENTRY(device);
#undef COUNTED_ENTRY

/* hot_arguments.c */
set_argument_entry hot_set_argument;
set_pointer_entry hot_set_svm_pointer, hot_set_mem_pointer;
set_info_entry hot_set_info;
/* The error code of a launch with the current arguments. */
int32_t hot_check_arguments(const weft_hot_kernel *kernel);

/* hot_launches.c */
enqueue_entry hot_enqueue;
void hot_unbind_kernel(block *target);
/* NULL if the handle is not a kernel, or a kernel that only Python knows. */
static inline weft_hot_kernel *hot_find_kernel(uintptr_t handle) {
    const block *target = hot_find(handle, WEFT_HOT_KERNEL);
    return target ? (weft_hot_kernel *)atomic_load(&target->native) : NULL;
}

/* hot_deferred.c */
enqueue_entry hot_defer;
void hot_forget_deferred(void); /* called in the child of a fork */
bool hot_has_deferred(void);    /* whether a launch waits to be prepared */
void hot_carry_out_soon(void);  /* wakes the thread that prepares launches, which does the pending work of Python */

/* hot_commands.c */
/* The commands of a wait list. The caller must call hot_free_waits. */
typedef struct hot_waits {
    command **commands, *few[MOST_WAITS];
} hot_waits;
int32_t hot_find_waits(const block *queue, uint32_t count, const uintptr_t *events, hot_waits *found);
static inline void hot_free_waits(hot_waits *found) {
    if (found->commands != found->few)
        free(found->commands);
}
int32_t hot_enqueued(block *on, command *started, uint32_t type, block *event_block, uintptr_t *event);
/* Like hot_enqueued; a `blocking` call first waits for the command, without the GIL. */
int32_t hot_enqueued_and_awaited(block *on, command *started, uint32_t type, block *event_block, uintptr_t *event, bool blocking);
int32_t hot_enqueue_buffer(uint32_t num_queues, const uintptr_t *queues, uintptr_t handle, uint32_t count,
                           const uintptr_t *events, uintptr_t *event);
marker_entry hot_marker, hot_barrier;
copy_entry hot_svm_memcpy, hot_memcpy_intel;
fill_entry hot_svm_fill, hot_fill_intel;
migrate_entry hot_migrate_intel;
advise_entry hot_advise_intel;
handle_entry hot_finish, hot_flush;

/* hot_events.c */
wait_entry hot_wait;
query_entry hot_event_info, hot_profiling_info;
int32_t hot_set_user_event_status(uintptr_t handle, int32_t status);

/* hot_queries.c */
query_entry hot_get_device_info, hot_get_context_info, hot_get_command_queue_info, hot_get_kernel_info;
query_entry hot_get_program_info;
kernel_query_entry hot_get_work_group_info, hot_get_build_info;
sub_group_entry hot_get_sub_group_info, hot_get_sub_group_info_khr;
void *hot_take_results(const block *target);
void *hot_make_results(const weft_hot_result *given, uint32_t count, const void *bytes, size_t byte_count,
                       uint64_t only_device);
void *hot_swap_results(const block *target, void *made);
/* Returns `have` bytes as the result of a query. */
int32_t hot_give(const void *from, size_t have, size_t size, void *value, size_t *size_ret);

/* hot_allocations.c */
host_alloc_entry hot_host_alloc;
device_alloc_entry hot_device_alloc, hot_shared_alloc;
allocation_query_entry hot_get_mem_alloc_info;
void *hot_take_limits(block *context);
/* Finds the maximum size of an allocation of a context for one device, or for all devices (0). Returns an error code,
 * or 1 if C cannot allocate in the context. */
int32_t hot_find_limit(uintptr_t context, uintptr_t device, uint64_t *most);
/* Finds the pool of a device of a context. Returns an error code, or 1 if C cannot create queues in the context. */
int32_t hot_find_pool(uintptr_t context, uintptr_t device, uintptr_t *pool);
/* Returns a copy of the devices of a context, which the caller must free; NULL if a builder process cannot build for
 * them, or if memory is exhausted. */
weft_hot_device_limit *hot_copy_devices(uintptr_t context, uint32_t *device_count);

/* hot_queues.c */
queue_entry hot_create_queue;

/* hot_buffers.c */
buffer_entry hot_create_buffer;
transfer_entry hot_read_buffer, hot_write_buffer;
copy_buffer_entry hot_copy_buffer;
fill_buffer_entry hot_fill_buffer;

/* hot_spirv.c */
bool hot_is_module(const unsigned char *il, size_t bytes);
/* The size of the specialization constant with this id; 0 if there is none. */
size_t hot_constant_size(const unsigned char *il, size_t bytes, uint32_t id);

/* hot_builders.c */
typedef struct hot_builder {
    int link;         /* the socket */
    dev_t device;     /* st_dev and st_ino of the socket, to recognize a descriptor that the client has closed and reused */
    ino_t number;
    uintptr_t region; /* the shared memory for code */
    bool has_code;    /* this process has launched code in the region, which must stay mapped */
} hot_builder;
/* Takes an idle builder or starts one, for the exclusive use of the caller until hot_keep_builder or hot_drop_builder;
 * false if none can be started. */
bool hot_take_builder(hot_builder *taken, bool *is_new);
void hot_keep_builder(const hot_builder *kept);
void hot_drop_builder(const hot_builder *dropped);
void hot_forget_builders(void); /* called in the child of a fork */

/* hot_elsewhere.c */
/* Lets a builder process prepare a launch of a kernel; false if that fails. */
bool hot_prepare_elsewhere(const weft_hot_kernel *kernel, const weft_hot_key *key, bool are_disjoint,
                           weft_hot_prepared *prepared);
/* Lets a builder process build a program. Returns its reply, which the caller must free; NULL if there is no builder or
 * it failed. */
weft_hot_built *hot_build_elsewhere(uintptr_t handle, const weft_hot_program *program, const char *options);
/* A kernel in such a reply, as pointers into it. */
typedef struct hot_built_kernel {
    const weft_hot_built_kernel *head;
    const char *name;
    const weft_hot_argument *arguments;
    const weft_hot_result *results;
    const unsigned char *values;
} hot_built_kernel;
/* Both return the address of the next kernel, behind the results about the program or behind a kernel; NULL if the
 * reply is truncated or malformed. */
const unsigned char *hot_read_built(const weft_hot_built *built, const weft_hot_result **results,
                                    const unsigned char **values);
const unsigned char *hot_read_kernel(const unsigned char *at, const unsigned char *end, hot_built_kernel *found);

/* hot_programs.c */
program_entry hot_create_program_with_il;
specialize_entry hot_specialize;
build_entry hot_build_program;
kernel_entry hot_create_kernel;
void hot_take_record(block *program);
void hot_forget_build(block *program);
/* Frees a program or a kernel without references if Python has not adopted it; if it has dependents, the last of them
 * will. Returns false if Python owns the object. */
bool hot_drop_unadopted(block *target, uint32_t kind);

#endif
