/* The structures of the pool and the functions that its C files share.
 *
 * Lock order: queue->lock, then pool->lock. Notifications and the list of threads each have a lock that is taken
 * last. All other shared state is atomic.
 */
#ifndef WEFT_INTERNAL_H
#define WEFT_INTERNAL_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>

#include "pool.h"
#include "sync.h"

enum { COMPLETE = 0, RUNNING = 1, SUBMITTED = 2, QUEUED = 3 };
enum { OUT_OF_RESOURCES = -5, WAIT_LIST_FAILED = -14 };
enum { TIME_QUEUED, TIME_SUBMITTED, TIME_STARTED, TIME_ENDED };
enum { ARENA_ALIGNMENT = 128, CACHE_LINE = 64, MAX_SLOTS = 32, MAX_PATTERN = 128 };

typedef enum weft_kind {
    KIND_NDRANGE,
    KIND_COPY,
    KIND_COPY_RECT,
    KIND_FILL,
    KIND_NATIVE,
    KIND_MIGRATE,
    KIND_NOTHING, /* markers, barriers and gates: they end as soon as they are ready */
    KIND_USER,    /* completed by the host */
} weft_kind;

/* An edge of the command graph, in the list `dependents` of a command: `dependent` waits for that command. */
typedef struct weft_edge {
    struct weft_edge *next;
    weft_command *dependent;
    bool carries_failure; /* if the command fails, the dependent fails */
} weft_edge;

/* The chunks [low, high) that no thread has taken yet; low is in the lower half of the word. */
typedef struct weft_slot {
    _Alignas(CACHE_LINE) _Atomic uint64_t range;
} weft_slot;

/* A request for a notification when the status of a command is `threshold` or less. */
typedef struct weft_watch {
    struct weft_watch *next;
    uint64_t token;
    int32_t threshold;
} weft_watch;

struct weft_command {
    _Atomic uint32_t status;   /* an int32_t; the futex word that waiting threads sleep on */
    _Atomic uint32_t sleepers; /* number of threads that sleep on `status` or are about to */
    _Atomic uint32_t references;
    _Atomic uint32_t pending; /* number of unfinished predecessors, plus one until the enqueue is complete */
    _Atomic int32_t error;    /* the first failure, or 0 */
    _Atomic(weft_edge *) dependents; /* a lock-free stack; CLOSED once the command has ended */
    _Atomic(weft_watch *) watches;   /* changed under the lock in notify.c */
    uint32_t generation;             /* weft_generation of the process that created it */
    uint8_t kind;
    bool profiling;
    bool tracked; /* valid copies of its buffers must be found before it runs (settle.c) */
    bool settled; /* they have been found; guarded by `settling` */
    weft_lock settling;
    uint32_t reached; /* the number of the last walk that reached it (weft_waits_for); guarded by a lock in command.c */
    weft_pool *pool;
    weft_queue *queue; /* NULL for gates and user commands */
    uint64_t sequence;   /* position in the queue */
    weft_edge successor; /* to the next command of an in-order queue, or to the gate of an out-of-order one */
    uint64_t times[4];
    uint64_t device_ns; /* duration by the clock of the device; 0 if the clock of the host applies */

    /* Guarded by pool->lock. */
    weft_command *next, *previous; /* in the list of its queue's ready commands */
    bool listed;
    uint32_t joined; /* number of threads that have claimed it */
    uint32_t wanted; /* number of threads that it is worth running on */

    /* The work: `units` (work-groups, bytes, rows), divided into `chunks` of `grain` units. */
    uint64_t units;
    uint64_t grain;
    uint32_t chunks;
    uint32_t slots;
    weft_slot *slot;
    _Atomic uint32_t unfinished; /* number of chunks that have not been completed */
    uintptr_t function;
    uintptr_t dst, src;
    size_t local_bytes, context_bytes;
    void *args;
    size_t args_bytes;
    union {
        weft_launch launch;
        weft_rect rect;
        uint8_t pattern[MAX_PATTERN];
    };
    weft_edge edges[]; /* one for each command of the wait list, and those that the queue adds */
};

struct weft_queue {
    weft_lock lock;
    uint32_t generation;
    _Atomic uint32_t references;
    weft_pool *pool;
    bool out_of_order, profiling;
    weft_settle_function *settle; /* NULL: all devices of the context use the same copies */
    uint64_t memories;
    _Atomic int32_t failure; /* an error code if a command was terminated abnormally, or 0 */

    /* Guarded by `lock`. Each of the four pointers holds a reference. */
    uint64_t sequence;     /* of the latest command */
    weft_command *tail;    /* in order: the latest command */
    weft_command *gate;    /* out of order: the open gate, which ends when all commands since the last closed gate have ended */
    weft_command *closed;  /* out of order: the last closed gate */
    weft_command *barrier; /* out of order: the latest barrier, which later commands wait for */

    /* Guarded by pool->lock. */
    weft_command *first, *last; /* ready commands that threads may still claim */
    _Atomic uint32_t ready;     /* their number; other threads read it without the lock */
    weft_queue *next, *previous;
    bool listed;
};

/* States of the word of an idle worker: it spins or sleeps; it has been told to look for work, or to become the
 * watcher. */
enum { IDLE_SPINNING, IDLE_SLEEPING, IDLE_WORK, IDLE_WATCH };

typedef struct weft_thread {
    _Atomic uint32_t word; /* IDLE_*: an idle worker sleeps on it */
    weft_pool *pool;       /* NULL for host threads */
    uint32_t home;         /* the slot from which it takes chunks first */
    bool starts_watching;  /* started as the watcher */
    bool idle;             /* in the list of idle workers; guarded by pool->lock, like the next two */
    struct weft_thread *idle_next, *idle_previous;
    void *local, *context; /* the arenas */
    size_t local_bytes, context_bytes;
    _Atomic(weft_command *) target; /* the command that a waiting host thread waits for */
    _Atomic uint32_t working;       /* inside a chunk; weft_stop waits for that */
    _Atomic uint32_t frozen;        /* stopped for ever inside a chunk, because the process ends */
    _Atomic uint32_t guarded;       /* nesting depth of weft_guard */
    _Atomic uint32_t to_freeze;     /* freeze at the outermost weft_unguard */
    weft_command *_Atomic running;  /* the command whose work-groups it is running */
    _Atomic uint64_t group;         /* the number of the work-group that it is running */
    bool interruptible;             /* the main thread of a Python program, in a wait */
    bool lends_place;               /* in a signal handler inside a kernel, it waits and is not counted as active */
    _Atomic uint32_t can_leave;     /* inside a kernel that a signal handler may leave by a jump to `leave` */
    _Atomic uint32_t interrupted;   /* it has left a kernel like that */
    _Atomic uint32_t signalled;     /* a signal arrived inside a kernel while it was guarded */
    sigjmp_buf leave;
    bool stack_known; /* the bounds of its stack are known; not determined for workers */
    uintptr_t stack_low, stack_high;
    void *own_stack;                /* stack for kernels, if there is too little room on that of the thread */
    void *fault_stack;              /* stack for the fault handler; NULL if the program has set one for the thread */
    pthread_t handle;
    struct weft_thread *next, *previous; /* list of all threads; guarded by the lock in memory.c */
} weft_thread;

struct weft_pool {
    weft_lock lock;
    uint32_t limit;  /* maximum number of threads that run commands */
    bool exclusive;  /* waiting host threads count towards the limit */
    uint32_t spin;   /* iterations for which idle and waiting threads spin */
    weft_queue *first, *last; /* queues with ready commands */
    weft_thread *idle;        /* idle workers, the most recent first */
    weft_thread *watcher;     /* the idle worker that polls for ready commands */
    bool watcher_starting;    /* a worker is being started as the watcher */
    _Atomic uint32_t workers; /* number of workers, including those that are being started */
    _Atomic uint32_t homes;   /* number of workers ever started */
    uint32_t searching;       /* number of workers that have been woken and have not looked for work yet */
    uint32_t pushes;          /* number of commands that have become ready so far */
    _Atomic uint32_t active;  /* number of threads that run commands; incremented only under the lock */
    _Atomic uint32_t demand;  /* number of threads that ready commands still want; changed only under the lock */
    weft_remote *remote;         /* launches run in another process; NULL: in this one */
    weft_simulation *simulation; /* launches are run by a function of the host; NULL: they are not */
    weft_pool *next;             /* list of all pools */
};

/* Wake-ups that are decided under the pool's lock and carried out after its release: threads to wake and to start. */
typedef struct weft_wakes {
    weft_thread *sleepers[3];
    uint32_t sleeping, chosen, start;
    bool start_watcher;
} weft_wakes;

/* How the work of a command is divided, and how many threads it is worth running on. */
typedef struct weft_plan {
    uint64_t units, grain;
    uint32_t chunks, slots, wanted;
    bool urgent; /* long enough to wake workers at the enqueue */
} weft_plan;

extern _Atomic uint32_t weft_generation; /* number of forks between the first process and this one */
extern _Atomic uint32_t weft_stopping;

static inline bool weft_is_stopping(void) {
    return atomic_load_explicit(&weft_stopping, memory_order_relaxed) != 0;
}

static inline uint32_t weft_current_generation(void) {
    return atomic_load_explicit(&weft_generation, memory_order_relaxed);
}

/* The number of work-items that a call of a work-group function runs; less at the end of the range. */
static inline double weft_items(const weft_launch *launch) {
    return (double)(launch->local_size[0] * launch->local_size[1] * launch->local_size[2]);
}

/* command.c */
weft_command *weft_command_new(weft_kind kind, weft_pool *pool, weft_queue *queue, const weft_plan *plan,
                               const void *args, size_t args_bytes, uint32_t edges);
void weft_fill_slots(weft_command *command, const weft_plan *plan);
void weft_add_edge(weft_command *before, weft_command *after, weft_edge *edge, bool carries_failure);
bool weft_waits_for(const weft_command *later, const weft_command *earlier);
void weft_commands_reset(void);
void weft_fail(weft_command *command, int32_t error);
void weft_drop_pending(weft_command *command, bool urgent);
void weft_complete(weft_command *command, int32_t status, weft_thread *self);
void weft_set_status(weft_command *command, int32_t status);
void weft_note_time(weft_command *command, int which);

/* queue.c */
void weft_queue_unreference(weft_queue *queue);
void weft_queues_reset(void);

/* pool.c */
void weft_push_enqueued(weft_command *command, bool urgent);
void weft_push_released(weft_command *list, weft_thread *self);
weft_command *weft_claim_any(weft_pool *pool);
void weft_participate(weft_thread *self, weft_command *command);
void weft_pool_reset(weft_pool *pool);
bool weft_spin_on(weft_pool *pool, uint32_t turn);

/* worker.c */
void weft_wake_for_demand(weft_pool *pool, weft_wakes *wakes, uint32_t reserved);
void weft_ensure_watcher(weft_pool *pool, weft_wakes *wakes);
void weft_apply_wakes(weft_pool *pool, weft_wakes *wakes);
void weft_pool_rouse(weft_pool *pool);

/* execute.c */
weft_plan weft_make_plan(const weft_pool *pool, uint64_t units, double unit_ns, uint64_t least_grain);
void weft_learn(uintptr_t function, uint64_t elapsed_ns, double items);
bool weft_take_chunk(weft_command *command, uint32_t home, uint32_t *chunk);
bool weft_has_chunks(const weft_command *command);
void weft_run_chunk(weft_command *command, weft_thread *self, uint32_t chunk);
void weft_group_place(const weft_launch *launch, uint64_t group, uint64_t place[3]);

/* interrupt.c */
bool weft_interrupts_begin(weft_thread *self); /* begins a wait; whether signals can end it */
uint32_t weft_interrupts(void);                /* number of signals that have arrived */
bool weft_check_interrupts(void);              /* runs the program's handlers; whether one has raised an exception */
void weft_interrupts_install(void);
void weft_interrupts_reset(void);
void weft_leave_if_signalled(weft_thread *self);

/* faults.c */
void weft_watch_faults(void);
void weft_allow_faults(sigset_t *blocked);
void weft_fault_stack_begin(weft_thread *thread);
void weft_fault_stack_end(weft_thread *thread);
/* Both print one line about the failure of a command on standard error, and note the failure in its queue. */
void weft_tell_failure(const weft_command *command, const char *what);
void weft_tell_fault(const weft_command *command, uint64_t group, int signal, uint64_t address);

/* remote.c */
void weft_remote_run(weft_remote *remote, weft_command *command, weft_thread *self);
void weft_remote_interrupt(weft_remote *remote, const weft_command *target);
void weft_remotes_reset(void);

/* simulation.c */
void weft_simulation_run(weft_simulation *simulation, weft_command *command, weft_thread *self);
void weft_simulation_interrupt(weft_simulation *simulation, const weft_command *target);
void weft_simulations_reset(void);

/* settle.c */
void weft_settle(weft_command *command, weft_thread *self);

/* memory.c */
weft_thread *weft_host_thread(void);
weft_thread *weft_thread_current(void);
weft_thread *weft_thread_new(void);
void weft_thread_register(weft_thread *thread);
void weft_thread_unregister(weft_thread *thread);
void weft_thread_become(weft_thread *thread);
void weft_threads_each(void (*visit)(weft_thread *thread, void *with), void *with);
void weft_threads_reset(void);
/* For signal handlers: the command whose work-groups the calling thread is running, and the work-group; or NULL. */
const weft_command *weft_running_here(uint64_t *group);
bool weft_grow_arena(void **arena, size_t *bytes, size_t wanted);

/* stacks.c */
/* Whether the calling thread has room on its stack for kernels. */
bool weft_has_room(weft_thread *self);
/* Calls a function on another stack; false: there is no memory for it. */
bool weft_call_on_own_stack(weft_thread *self, void (*function)(void *argument), void *argument);
void weft_free_own_stack(weft_thread *self);

/* kept.c */
void *weft_take_kept(size_t nbytes);
bool weft_free_kept(void);
void weft_keep(void *address, size_t nbytes);
void weft_kept_reset(void);

/* notify.c */
void weft_notify(weft_command *command, int32_t status);
void weft_notify_dropped(weft_command *command);
void weft_notify_reset(void);

/* printf.c */
int32_t weft_printf(const char *format, const char *types, ...);
bool weft_print(const char *text, size_t length);
void weft_printf_flush(void);

/* lifecycle.c */
void weft_lifecycle_add(weft_pool *pool);
void weft_block_signals(sigset_t *old);
weft_thread *weft_guard(void);
void weft_unguard(weft_thread *self);

#endif
