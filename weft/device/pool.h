/* The native worker pool: the interface for Python and for work-group functions.
 *
 * A command is a node of a graph: it counts its unfinished predecessors and becomes ready when the count reaches
 * zero. It is divided into chunks, which workers and waiting host threads take. After the last chunk it releases its
 * dependents. See docs/device.md.
 *
 * build_pool.py passes the lines between the two cffi marks to cffi unchanged.
 */
#ifndef WEFT_POOL_H
#define WEFT_POOL_H

#include <stddef.h>
#include <stdint.h>

/* cffi begin */
typedef struct weft_launch {
    uint64_t global_size[3];
    uint64_t global_offset[3];
    uint64_t local_size[3];
    uint64_t num_groups[3];
    uint32_t work_dim;
    uint16_t block[2]; /* groups run in blocks of this size along x and y; 0: in rows along x */
    uint64_t local_bytes; /* used bytes of the local arena; set by the enqueue */
} weft_launch;

typedef struct weft_rect {
    uint64_t region[3];      /* bytes in a row, rows, slices */
    uint64_t dst_row_pitch;
    uint64_t dst_slice_pitch;
    uint64_t src_row_pitch;
    uint64_t src_slice_pitch;
} weft_rect;

typedef struct weft_pool weft_pool;
typedef struct weft_queue weft_queue;
typedef struct weft_command weft_command;
typedef struct weft_remote weft_remote;
typedef struct weft_simulation weft_simulation;

/* At most `threads` threads run work at a time. Waiting host threads count among them in an exclusive pool, and add to
 * them in others. Pools live as long as the process. NULL: out of memory. */
weft_pool *weft_pool_new(uint32_t threads, int exclusive);
uint32_t weft_pool_workers(weft_pool *pool);

/* A region of memory that this process shares with a device server. `imports_key` is of the names that code may import.
 * Of the region's data the first `statics_bytes` are for variables of kernels. NULL: no memory, or no place for the
 * region. */
weft_remote *weft_remote_new(uint32_t threads, uint32_t imports_key, uint64_t code_bytes,
                             uint64_t statics_bytes, uint64_t data_bytes, uint64_t limit_ns);
/* Sets the command line of servers: NULL-terminated, the program first. A server is started for the first launch, and
 * again after one has ended. Must be called once, before the first launch. 0: out of memory. */
int weft_remote_command(weft_remote *remote, char *const *arguments);
/* Returns four addresses: of the imports, code and data, and of the initial values of variables for a new server. */
void weft_remote_places(const weft_remote *remote, uint64_t *places);
/* Sets how many bytes of the variables are in use. */
void weft_remote_statics(weft_remote *remote, size_t used);
/* Must be called when code has been overwritten by other code. */
void weft_remote_replaced(weft_remote *remote);
/* Records a buffer. When a server ends, memory behind the last buffer ever recorded is returned to the system. */
void weft_remote_allocated(weft_remote *remote, uintptr_t address, size_t bytes);
/* Lets kernels of the remote access the buffers in the region of `other`, from the next launch on; 0: too many
 * regions. */
int weft_remote_share(weft_remote *remote, weft_remote *other);
/* Sets the time limit of a launch; 0: none. */
void weft_remote_limit(weft_remote *remote, uint64_t limit_ns);
/* The number of servers started so far. */
uint64_t weft_remote_starts(const weft_remote *remote);
/* Sets the memory for the arenas of the server's threads, and the sizes for each thread. */
void weft_remote_arenas(weft_remote *remote, uintptr_t address, size_t local_bytes, size_t context_bytes);
void weft_remote_discard(uintptr_t address, size_t bytes);
/* Makes all later launches of the pool run in the remote's server. */
void weft_pool_use(weft_pool *pool, weft_remote *remote);

/* A launch, as passed to weft_simulate_function. */
typedef struct weft_simulated {
    const weft_command *command;
    uintptr_t function;
    const weft_launch *launch;
    const void *args;
    size_t args_bytes, local_bytes;
    char *message; /* room for a message to the user if the launch fails; `message_bytes` includes the terminator */
    size_t message_bytes;
    uint64_t memories; /* of its queue: see weft_queue_track */
} weft_simulated;
/* Runs a launch. Returns its duration in nanoseconds of the device's clock; WEFT_INTERRUPTED if a signal handler raised
 * an exception in it; another negative number if it failed. */
typedef int64_t weft_simulate_function(const weft_simulated *launch);
/* Makes `function` run all later launches of the pool, which must have one thread. 0, or -1: out of memory. */
int weft_pool_simulate(weft_pool *pool, uintptr_t function);
/* Whether the running launch should end now. */
int weft_simulation_ends(const weft_command *command);

weft_queue *weft_queue_new(weft_pool *pool, int out_of_order, int profiling);
void weft_queue_release(weft_queue *queue);
void weft_queue_flush(weft_queue *queue);
/* Whether a command has ever been enqueued. */
int weft_queue_used(weft_queue *queue);
/* Waits for all commands. Returns 0, WEFT_INTERRUPTED, or an error code if it could not wait for them. */
int32_t weft_queue_finish(weft_queue *queue);
/* Returns an error code if a command of the queue was terminated abnormally since the last call; otherwise 0. A line on
 * standard error has said why. Commands that had a failed one in their wait list, or that the program interrupted, are
 * not counted. */
int32_t weft_queue_take_failure(weft_queue *queue);

/* A command of a queue whose context has copies of buffers in several memories, as passed to weft_settle_function
 * before it runs. The kind decides which fields are used: the parameters of the weft_enqueue_* function of that
 * kind. */
enum { WEFT_ACCESS_LAUNCH, WEFT_ACCESS_COPY, WEFT_ACCESS_COPY_RECT, WEFT_ACCESS_FILL, WEFT_ACCESS_MIGRATE };
typedef struct weft_access {
    uint64_t memories; /* of the queue */
    uint32_t kind, mode;
    uintptr_t dst, src;
    size_t nbytes, args_bytes;
    const void *args; /* or the pattern of a fill */
    const weft_rect *rect;
    char *message; /* room for a message to the user if the command fails; `message_bytes` includes the terminator */
    size_t message_bytes;
} weft_access;
/* Makes the copies valid that a command needs. 0: the command can run; 1: the function has carried it out itself, in
 * the memory of the copies; WEFT_INTERRUPTED as above; another negative number: the command fails. */
typedef int32_t weft_settle_function(const weft_access *access);
/* Makes `function` be called once before each launch and transfer of the queue, in the thread that runs it. It is not
 * called for launches run by a weft_simulate_function, which must make the copies valid itself. Must be called before
 * the first command. */
void weft_queue_track(weft_queue *queue, uintptr_t function, uint64_t memories);

/* All enqueue functions return a command with one reference for the caller, or NULL if memory is exhausted. Those with
 * a `word` also return NULL, and do nothing, if it is not NULL and `*word` is not `value` when the command gets its
 * position in the queue. So memory that the command uses has not been freed by a thread that first changes the word and
 * then waits for the commands that are in the queue. */
weft_command *weft_enqueue_ndrange(weft_queue *queue, uintptr_t function, const weft_launch *launch,
                                   const void *args, size_t args_bytes, size_t local_bytes,
                                   size_t context_bytes, weft_command *const *wait, uint32_t wait_count,
                                   const uint64_t *word, uint64_t value);
weft_command *weft_enqueue_copy(weft_queue *queue, uintptr_t dst, uintptr_t src, size_t nbytes,
                                weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_copy_rect(weft_queue *queue, uintptr_t dst, uintptr_t src, const weft_rect *rect,
                                     weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_fill(weft_queue *queue, uintptr_t dst, const void *pattern, size_t pattern_bytes,
                                size_t nbytes, weft_command *const *wait, uint32_t wait_count);
/* Enqueues a launch whose code is not known yet. It has a position in the queue, its arguments and its event, and waits
 * for weft_deferred_start or weft_deferred_fail. One of them must be called exactly once; the caller may release the
 * command before. */
weft_command *weft_enqueue_deferred(weft_queue *queue, const void *args, size_t args_bytes, weft_command *const *wait,
                                    uint32_t wait_count, const uint64_t *word, uint64_t value);
void weft_deferred_start(weft_command *command, uintptr_t function, const weft_launch *launch, size_t local_bytes,
                         size_t context_bytes);
void weft_deferred_fail(weft_command *command, int32_t status);
weft_command *weft_enqueue_native(weft_queue *queue, uintptr_t function, const void *args, size_t args_bytes,
                                  weft_command *const *wait, uint32_t wait_count);
/* Enqueues a command without work on a tracked queue: `mode` tells the function of weft_queue_track what to do. */
weft_command *weft_enqueue_migrate(weft_queue *queue, uintptr_t address, size_t nbytes, uint32_t mode,
                                   weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_marker(weft_queue *queue, weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_barrier(weft_queue *queue, weft_command *const *wait, uint32_t wait_count);

/* A command of a recorded sequence. The kind decides which fields are used: the parameters of the function above of
 * that kind. `waits` are the indices of earlier commands of the sequence. The memory behind the pointers must stay
 * valid until weft_replay has returned. */
enum { WEFT_RECORD_NDRANGE, WEFT_RECORD_COPY, WEFT_RECORD_COPY_RECT, WEFT_RECORD_FILL, WEFT_RECORD_NOTHING };
typedef struct weft_record {
    uint32_t kind, wait_count;
    const uint32_t *waits;
    uintptr_t function, dst, src;
    size_t nbytes, args_bytes, local_bytes, context_bytes;
    const void *args; /* or the pattern of a fill */
    const weft_launch *launch;
    const weft_rect *rect;
} weft_record;
/* Enqueues all commands of a sequence; each waits for `wait`. Returns the last of them, or, if `event`, a command that
 * ends when all of them have ended and fails if one of them fails. NULL: out of memory; some of the commands may
 * run. */
weft_command *weft_replay(weft_queue *queue, const weft_record *records, uint32_t count, weft_command *const *wait,
                          uint32_t wait_count, int event);

weft_command *weft_user_command(weft_pool *pool);
/* 0, or -1 if the user command has been completed before. */
int weft_user_complete(weft_command *command, int32_t status);

void weft_command_retain(weft_command *command);
void weft_command_release(weft_command *command);
int32_t weft_command_status(const weft_command *command);
int32_t weft_command_wait(weft_command *command);
/* Makes the command fail. It accesses no memory after the return. */
void weft_command_cancel(weft_command *command);
/* The result of a wait that was ended by an exception in a signal handler: see weft_interrupts_on. */
enum { WEFT_INTERRUPTED = -2147483647 };
void weft_interrupts_on(uintptr_t main_thread, uintptr_t check);
/* Whether the handler of SIGINT resets itself (SA_RESETHAND), as the one that LLVM installs in drivers: the signal is
 * expected to end the process. */
int weft_interrupt_ends_process(void);
/* Between these two calls, signals are not reported to Python, unless the thread waits for a command or the calls are
 * far apart. Only the main thread of a Python program can hold signals. weft_signals_hold returns 1 there and 0 in
 * other threads, which must not call weft_signals_release. */
int weft_signals_hold(void);
void weft_signals_release(void);
/* The number of times that the host program has waited for a command so far. */
uint64_t weft_waits(void);
void weft_command_times(const weft_command *command, uint64_t *times);
/* Requests one notification with `token` when the status of the command is `status` or less. 0, or -1: out of
 * memory. */
int weft_command_watch(weft_command *command, int32_t status, uint64_t token);

/* Blocks until there is a notification. 1: `token` and `status` are set; 0: weft_notify_stop has been called. */
int weft_notify_next(uint64_t *token, int32_t *status);
void weft_notify_stop(void);
/* Requests a notification with token 0. Requests made before it is delivered are merged into one. */
void weft_notify_post(void);

void *weft_allocate(size_t nbytes, size_t alignment);
void weft_free(void *address);

/* Sets the kernel name for messages about a fault in this work-group function. */
void weft_name_function(uintptr_t function, const char *name);

/* The time that a work-item of a work-group function has taken so far, in nanoseconds of a thread; 0: unknown. */
double weft_item_ns(uintptr_t function);

/* The native function that frees shared virtual memory, for weft_enqueue_native; svm.c declares its arguments. */
uintptr_t weft_svm_free_function(void);

/* The printf function of kernels: int weft_printf(const char *format, const char *types, ...). */
uintptr_t weft_printf_address(void);
/* The address of a function of sub_groups.h, by name; 0: none. */
uintptr_t weft_sub_groups_function(const char *name);
/* The address of a function of loop_choice.h, by name; 0: none. */
uintptr_t weft_loop_function(const char *name);

/* Stops all pools in bounded time. Later commands fail, and waits return. */
void weft_stop(void);
/* Resets the pools in the child of a fork (registered with pthread_atfork). */
void weft_pool_fork_child(void);

/* The address of a work-group function for tests (testing.c), by name; 0: none. */
uintptr_t weft_test_function(const char *name);
/* cffi end */

typedef void weft_group_function(const weft_launch *launch, const void *args, void *local, void *context,
                                 uint64_t group_x, uint64_t group_y, uint64_t group_z);

#endif
