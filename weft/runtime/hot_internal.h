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
 *
 * This header is what the files of the native side share.
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
    _Alignas(64) uintptr_t dispatch; /* the loader's */
    _Atomic uint32_t kind;
    _Atomic uint32_t serial;     /* of the object: a block is used again */
    _Atomic uintptr_t native;    /* queue, kernel, command of an event, address of a buffer, sequence, limits of a context, record of a program; or 0 */
    _Atomic uint32_t references; /* the client's */
    uint32_t listed;             /* guarded by the lock: LISTED, or LISTED_GONE */
    uintptr_t context;           /* of a queue, a buffer or an event */
    union {
        struct block *queue; /* of an event; NULL: a user event */
        _Atomic uint64_t epoch; /* a kernel: when its arguments were known to be good */
        _Atomic uint64_t size;  /* a buffer */
        struct hot_unmet_queue *unmet; /* a queue that Python has not met */
    };
    union {
        _Atomic uint32_t events; /* of a queue: those that Python has not met */
        uint32_t type;           /* of an event's command */
        _Atomic uint32_t users;  /* of a command buffer's sequence: threads */
        _Atomic uint32_t deferred; /* of a kernel: launches that are to be prepared */
        _Atomic uint32_t dependents; /* of a context: allocations of shared memory, and queues, buffers and programs that
                                        Python has not met; of a program: such kernels */
        uint32_t flags;              /* of a buffer */
    };
    _Atomic uint32_t met;   /* an event, a queue, a buffer, a program, a kernel: Python has an object for it, and owns what it stands for */
    struct block *next;     /* of those that are free, or listed for deletion */
} block;

enum { LISTED = 1, LISTED_GONE = 2 }; /* for deletion; and given back in the meantime: free once it is taken out */

_Static_assert(sizeof(block) == 64, "a block is a cache line");

typedef struct command command;
typedef command *marker_function(uintptr_t queue, command *const *wait, uint32_t wait_count);

/* The functions of the worker pool. */
typedef struct hot_pool_functions {
    command *(*enqueue_ndrange)(uintptr_t queue, uintptr_t function, const void *launch, const void *args,
                                size_t args_bytes, size_t local_bytes, size_t context_bytes, command *const *wait,
                                uint32_t wait_count);
    command *(*enqueue_deferred)(uintptr_t queue, uintptr_t args, size_t args_bytes, command *const *wait,
                                 uint32_t wait_count);
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
extern int32_t (*hot_interrupted)(void);
extern int (*hot_may_enter)(void);
extern int (*hot_within)(void);
extern void (*hot_carry_out)(void);
extern void (*hot_prepare)(void);
extern void *(*hot_let_go)(void);
extern void (*hot_take_back)(void *state);
extern int (*hot_is_alone)(void);
/* The Python entry behind a native one. */
#define PYTHON(type, entry) ((type *)hot_python.entry)

/* hot_blocks.c */
extern block *hot_blocks;
extern pthread_mutex_t hot_lock; /* of all lists */
block *hot_take_block(void);
void hot_free_block(block *block);
void hot_append_free(block *block);
/* A reference to the next queue of a context that the client has not released, from that number of a block on, which is
 * moved; NULL: there is none. */
block *hot_retain_queue(uintptr_t context, uint32_t *from);

static inline bool hot_is_block(uintptr_t handle) {
    uintptr_t distance = handle - (uintptr_t)hot_blocks;
    return hot_blocks && distance < sizeof(block) * HANDLES && !(distance % sizeof(block));
}

/* The block that `handle` is the address of, if it stands for an object of this kind; else NULL. */
static inline block *hot_find(uintptr_t handle, uint32_t kind) {
    if (!hot_is_block(handle))
        return NULL;
    block *found = (block *)handle;
    return atomic_load_explicit(&found->kind, memory_order_acquire) == kind ? found : NULL;
}

/* hot_pending.c */
extern _Atomic int32_t hot_waiting;
void hot_list_deletion(block *target, uint32_t kind);
void hot_see_to_pending(void);
void hot_forget_listener(void); /* in the child of a fork */
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
/* The code of a launch with the arguments as they are. */
int32_t hot_check_arguments(const weft_hot_kernel *kernel);

/* hot_launches.c */
enqueue_entry hot_enqueue;
void hot_unbind_kernel(block *target);
/* NULL: it is no kernel, or one that is Python's alone. */
static inline weft_hot_kernel *hot_find_kernel(uintptr_t handle) {
    const block *target = hot_find(handle, WEFT_HOT_KERNEL);
    return target ? (weft_hot_kernel *)atomic_load(&target->native) : NULL;
}

/* hot_deferred.c */
enqueue_entry hot_defer;
void hot_forget_deferred(void); /* in the child of a fork */
bool hot_has_deferred(void);    /* a launch waits to be prepared */
void hot_carry_out_soon(void);  /* the thread that prepares launches does what is left to Python */

/* hot_commands.c */
/* The commands of a wait list, to be freed once they are not needed any more. */
typedef struct hot_waits {
    command **commands, *few[MOST_WAITS];
} hot_waits;
int32_t hot_find_waits(const block *queue, uint32_t count, const uintptr_t *events, hot_waits *found);
static inline void hot_free_waits(hot_waits *found) {
    if (found->commands != found->few)
        free(found->commands);
}
int32_t hot_enqueued(block *on, command *started, uint32_t type, block *made, uintptr_t *event);
/* The same; a `blocking` call then waits for the command, without Python's lock. */
int32_t hot_enqueued_and_awaited(block *on, command *started, uint32_t type, block *made, uintptr_t *event, bool blocking);
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
/* The result of a query that has `have` bytes. */
int32_t hot_give(const void *from, size_t have, size_t size, void *value, size_t *size_ret);

/* hot_allocations.c */
host_alloc_entry hot_host_alloc;
device_alloc_entry hot_device_alloc, hot_shared_alloc;
allocation_query_entry hot_get_mem_alloc_info;
void *hot_take_limits(block *context);
/* The most bytes that an allocation of a context for a device, or for all (0), may have; or an error. 1: C cannot allocate
 * there. */
int32_t hot_find_limit(uintptr_t context, uintptr_t device, uint64_t *most);
/* The pool of a device of a context, or an error; 1: C makes no queues there. */
int32_t hot_find_pool(uintptr_t context, uintptr_t device, uintptr_t *pool);
/* The devices of a context, to be freed; NULL: another process cannot build for them, or there is no memory. */
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
/* The bytes of a specialization constant; 0: there is none with that number. */
size_t hot_constant_size(const unsigned char *il, size_t bytes, uint32_t id);

/* hot_builders.c */
typedef struct hot_builder {
    int link;
    dev_t device; /* and number, of the socket */
    ino_t number;
    uintptr_t region; /* for code */
    bool has_code;    /* this process runs code that lies there */
} hot_builder;
/* A builder that has nothing to do, or a new one; false: there can be none. */
bool hot_take_builder(hot_builder *taken, bool *is_new);
void hot_keep_builder(const hot_builder *kept);
void hot_drop_builder(const hot_builder *dropped);
void hot_forget_builders(void); /* in the child of a fork */

/* hot_elsewhere.c */
/* Has another process prepare a launch of a kernel; false: it cannot. */
bool hot_prepare_elsewhere(const weft_hot_kernel *kernel, const weft_hot_key *key, bool are_disjoint,
                           weft_hot_prepared *prepared);
/* What another process tells of a program that it builds, to be freed; NULL: there was none, or it failed. */
weft_hot_built *hot_build_elsewhere(uintptr_t handle, const weft_hot_program *program, const char *options);
/* A kernel in it. */
typedef struct hot_built_kernel {
    const weft_hot_built_kernel *head;
    const char *name;
    const weft_hot_argument *arguments;
    const weft_hot_result *results;
    const unsigned char *values;
} hot_built_kernel;
/* What follows the results about the program, or a kernel: the next kernel. NULL: it is not whole. */
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
/* Whether a program or a kernel without references is not Python's: then it is freed, now or with its last dependent. */
bool hot_drop_unmet(block *target, uint32_t kind);

#endif
