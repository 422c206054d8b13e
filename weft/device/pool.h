/* The native worker pool: what Python calls and what work-group functions see.
 *
 * A command is a node of a graph: it counts its unfinished predecessors, becomes ready when the count
 * reaches zero, is cut into chunks that workers and waiting host threads take, and releases its
 * dependents when the last chunk is done. docs/device.md tells the whole story.
 *
 * build_pool.py hands the lines between the two cffi marks to cffi as they stand.
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
    uint16_t block[2]; /* groups are run in blocks of so many along x and y; 0: in rows along x */
    uint64_t local_bytes; /* what the launch uses of the local arena; set when it is enqueued */
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

/* At most `threads` threads run work at a time; an exclusive pool lets waiting host threads count
 * among them instead of adding to them. Pools live as long as the process. NULL: out of memory. */
weft_pool *weft_pool_new(uint32_t threads, int exclusive);
uint32_t weft_pool_workers(weft_pool *pool);

/* A region of memory that this process shares with a device server. `imports_key` is of the names that code may import. Of
 * the region's data the first `statics_bytes` are for variables of kernels. NULL: no memory, or no place for the region. */
weft_remote *weft_remote_new(uint32_t threads, uint32_t imports_key, uint64_t code_bytes,
                             uint64_t statics_bytes, uint64_t data_bytes, uint64_t limit_ns);
/* Servers are started by these arguments, which end with NULL and begin with the program: for the first launch, and
 * again whenever one has ended. Called once, before the first launch; 0: no memory. */
int weft_remote_command(weft_remote *remote, char *const *arguments);
/* Where imports, code and data are, and the copy of the variables that a new server starts with. */
void weft_remote_places(const weft_remote *remote, uint64_t *places);
/* So many bytes of the variables are in use, from the first on. */
void weft_remote_statics(weft_remote *remote, size_t used);
/* Code was written where other code has been. */
void weft_remote_replaced(weft_remote *remote);
/* A buffer lies here. What was never allocated behind the last is given back when a server ends. */
void weft_remote_allocated(weft_remote *remote, uintptr_t address, size_t bytes);
/* Kernels of the remote reach the buffers of another one's region from the next launch on; 0: there are too many. */
int weft_remote_share(weft_remote *remote, weft_remote *other);
/* How long a launch may take; 0: as long as it likes. */
void weft_remote_limit(weft_remote *remote, uint64_t limit_ns);
/* How many servers there have been. */
uint64_t weft_remote_starts(const weft_remote *remote);
/* The memory at `address` is for the arenas of the server's threads, so much for each. */
void weft_remote_arenas(weft_remote *remote, uintptr_t address, size_t local_bytes, size_t context_bytes);
void weft_remote_discard(uintptr_t address, size_t bytes);
/* Launches of the pool run in the remote's server from now on. */
void weft_pool_use(weft_pool *pool, weft_remote *remote);

/* A launch, for the function that runs it. */
typedef struct weft_simulated {
    const weft_command *command;
    uintptr_t function;
    const weft_launch *launch;
    const void *args;
    size_t args_bytes, local_bytes;
    char *message; /* what the user is told if it fails; `message_bytes` with the end */
    size_t message_bytes;
    uint64_t memories; /* of its queue: weft_queue_track */
} weft_simulated;
/* Gives the nanoseconds of the device's clock that a launch took; WEFT_INTERRUPTED if the handler of a signal raised an
 * exception in it, and another negative number if it failed. */
typedef int64_t weft_simulate_function(const weft_simulated *launch);
/* Launches of the pool, which has one thread, are run by `function` from now on. 0, or -1: no memory. */
int weft_pool_simulate(weft_pool *pool, uintptr_t function);
/* Whether the launch that runs should end now. */
int weft_simulation_ends(const weft_command *command);

weft_queue *weft_queue_new(weft_pool *pool, int out_of_order, int profiling);
void weft_queue_release(weft_queue *queue);
void weft_queue_flush(weft_queue *queue);
/* Whether the queue ever took a command. */
int weft_queue_used(weft_queue *queue);
/* 0, or the first failure among the queue's own commands since the last call of finish. */
int32_t weft_queue_finish(weft_queue *queue);

/* A command of a queue whose context has copies of buffers in several memories, before it runs. Which fields count depends
 * on its kind, as the functions below tell. */
enum { WEFT_ACCESS_LAUNCH, WEFT_ACCESS_COPY, WEFT_ACCESS_COPY_RECT, WEFT_ACCESS_FILL, WEFT_ACCESS_MIGRATE };
typedef struct weft_access {
    uint64_t memories; /* of the queue */
    uint32_t kind, mode;
    uintptr_t dst, src;
    size_t nbytes, args_bytes;
    const void *args; /* or the pattern of a fill */
    const weft_rect *rect;
    char *message; /* what the user is told if it fails; `message_bytes` with the end */
    size_t message_bytes;
} weft_access;
/* Has valid copies where the command needs them. 0: it can run; 1: it has been carried out already, where the copies
 * are; WEFT_INTERRUPTED as above; another negative number: it fails. */
typedef int32_t weft_settle_function(const weft_access *access);
/* Before each launch and transfer of the queue `function` is called once, in the thread that runs it, but not for launches
 * that a function of the host runs, which sees to it itself. Called before the first command. */
void weft_queue_track(weft_queue *queue, uintptr_t function, uint64_t memories);

/* Every enqueue gives a command with one reference for the caller, or NULL when memory is short. */
weft_command *weft_enqueue_ndrange(weft_queue *queue, uintptr_t function, const weft_launch *launch,
                                   const void *args, size_t args_bytes, size_t local_bytes,
                                   size_t context_bytes, weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_copy(weft_queue *queue, uintptr_t dst, uintptr_t src, size_t nbytes,
                                weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_copy_rect(weft_queue *queue, uintptr_t dst, uintptr_t src, const weft_rect *rect,
                                     weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_fill(weft_queue *queue, uintptr_t dst, const void *pattern, size_t pattern_bytes,
                                size_t nbytes, weft_command *const *wait, uint32_t wait_count);
/* A launch whose code is not known yet: it has its place in the queue, its arguments and its event, and waits for
 * weft_deferred_start or weft_deferred_fail, one of which must be called once. The caller may have released it before. */
weft_command *weft_enqueue_deferred(weft_queue *queue, const void *args, size_t args_bytes, weft_command *const *wait,
                                    uint32_t wait_count);
void weft_deferred_start(weft_command *command, uintptr_t function, const weft_launch *launch, size_t local_bytes,
                         size_t context_bytes);
void weft_deferred_fail(weft_command *command, int32_t status);
weft_command *weft_enqueue_native(weft_queue *queue, uintptr_t function, const void *args, size_t args_bytes,
                                  weft_command *const *wait, uint32_t wait_count);
/* A command of a tracked queue without work: its `mode` tells the function of weft_queue_track what to do. */
weft_command *weft_enqueue_migrate(weft_queue *queue, uintptr_t address, size_t nbytes, uint32_t mode,
                                   weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_marker(weft_queue *queue, weft_command *const *wait, uint32_t wait_count);
weft_command *weft_enqueue_barrier(weft_queue *queue, weft_command *const *wait, uint32_t wait_count);

/* A command of a recorded sequence. Which fields count depends on its kind, as the functions above tell. `waits` are
 * the places of earlier commands of the sequence. What it points to must live until it has been replayed. */
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
/* Enqueues all commands of a sequence, each after `wait`, and gives the last of them; if it is to be an `event`, one that
 * ends when all of them have, and fails if one of them does. NULL: no memory, and some of them may run. */
weft_command *weft_replay(weft_queue *queue, const weft_record *records, uint32_t count, weft_command *const *wait,
                          uint32_t wait_count, int event);

weft_command *weft_user_command(weft_pool *pool);
/* 0, or -1 when the user command has been completed before. */
int weft_user_complete(weft_command *command, int32_t status);

void weft_command_retain(weft_command *command);
void weft_command_release(weft_command *command);
int32_t weft_command_status(const weft_command *command);
int32_t weft_command_wait(weft_command *command);
/* The command does nothing any more, and touches no memory from now on. */
void weft_command_cancel(weft_command *command);
/* What a wait gives that the program's handler of a signal ended: see weft_interrupts_on. */
enum { WEFT_INTERRUPTED = -2147483647 };
void weft_interrupts_on(uintptr_t main_thread, uintptr_t check);
/* Whether the handler of SIGINT is one for the last signal of a process, as LLVM installs it in drivers. */
int weft_interrupt_ends_process(void);
/* Between these two Python hears of no signal, unless the calling thread waits for a command or takes long. Only the
 * main thread of a Python program can hold signals: 1, and 0 in other threads, which must not release them. */
int weft_signals_hold(void);
void weft_signals_release(void);
/* How often the host program has waited for commands so far. */
uint64_t weft_waits(void);
void weft_command_times(const weft_command *command, uint64_t *times);
/* Asks for one notification carrying `token` when the status is `status` or less. 0, or -1: no memory. */
int weft_command_watch(weft_command *command, int32_t status, uint64_t token);

/* Blocks until a notification is there. 1: `token` and `status` are set; 0: notifications have ended. */
int weft_notify_next(uint64_t *token, int32_t *status);
void weft_notify_stop(void);
/* Asks for a notification with token 0; one that is still to come serves for all that asked for it. */
void weft_notify_post(void);

void *weft_allocate(size_t nbytes, size_t alignment);
void weft_free(void *address);

/* What the user is told if this work-group function faults. */
void weft_name_function(uintptr_t function, const char *name);

/* The native function that frees shared virtual memory, for weft_enqueue_native; svm.c has its arguments. */
uintptr_t weft_svm_free_function(void);

/* The function that kernels call to print: int weft_printf(const char *format, const char *types, ...). */
uintptr_t weft_printf_address(void);
/* The functions of sub_groups.h, by name; 0: none. */
uintptr_t weft_sub_groups_function(const char *name);

/* Ends all pools in bounded time; later commands fail, later waits return. */
void weft_stop(void);
/* What the child of a fork runs first (registered with pthread_atfork). */
void weft_pool_fork_child(void);

/* Address of a work-group function made for tests, by its name without `weft_test_`; 0: none. */
uintptr_t weft_test_function(const char *name);
/* cffi end */

typedef void weft_group_function(const weft_launch *launch, const void *args, void *local, void *context,
                                 uint64_t group_x, uint64_t group_y, uint64_t group_z);

#endif
