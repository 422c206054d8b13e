/* The structures of the pool, shared by its C files, and what each file offers the others.
 *
 * Locks, in the order in which they may be taken: queue->lock, pool->lock; notifications and the list of
 * threads have a lock of their own that is taken last. Everything else is atomic.
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
    KIND_NOTHING, /* markers, barriers and gates: done as soon as they are ready */
    KIND_USER,    /* completed by the host */
} weft_kind;

/* "dependent waits for the command in whose list this edge is". */
typedef struct weft_edge {
    struct weft_edge *next;
    weft_command *dependent;
    bool carries_failure;
} weft_edge;

/* Chunks [low, high) of a command that nobody has taken yet, low in the lower half of the word. */
typedef struct weft_slot {
    _Alignas(CACHE_LINE) _Atomic uint64_t range;
} weft_slot;

typedef struct weft_watch {
    struct weft_watch *next;
    uint64_t token;
    int32_t threshold;
} weft_watch;

struct weft_command {
    _Atomic uint32_t status; /* an int32_t; the word that waiting threads sleep on */
    _Atomic uint32_t sleepers;
    _Atomic uint32_t references;
    _Atomic uint32_t pending; /* unfinished predecessors, plus one until it is wholly enqueued */
    _Atomic int32_t error;
    _Atomic(weft_edge *) dependents; /* CLOSED once it has ended */
    _Atomic(weft_watch *) watches;
    uint32_t generation;
    uint8_t kind;
    bool profiling;
    bool tracked; /* valid copies of what it uses are to be found first */
    bool settled; /* that was done; guarded by `settling` */
    weft_lock settling;
    weft_pool *pool;
    weft_queue *queue; /* NULL for gates and user commands */
    uint64_t sequence;
    weft_edge successor; /* to the next command of an in-order queue, or to the gate of an out-of-order one */
    uint64_t times[4];
    uint64_t device_ns; /* how long it took by the device's own clock; 0: by that of the host */

    /* Guarded by pool->lock. */
    weft_command *next, *previous;
    bool listed;
    uint32_t joined; /* threads that have joined in */
    uint32_t wanted; /* threads that are worth having */

    /* The work: `units` of it (work-groups, bytes, rows) in `chunks` of `grain` units. */
    uint64_t units;
    uint64_t grain;
    uint32_t chunks;
    uint32_t slots;
    weft_slot *slot;
    _Atomic uint32_t unfinished; /* chunks */
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
    weft_edge edges[]; /* one for each command of the wait list, and what the queue adds */
};

struct weft_queue {
    weft_lock lock;
    uint32_t generation;
    _Atomic uint32_t references;
    weft_pool *pool;
    bool out_of_order, profiling;
    weft_settle_function *settle; /* NULL: all devices of the context use the same copies */
    uint64_t memories;
    _Atomic int32_t failure;
    uint64_t sequence;
    weft_command *tail;    /* in order: the latest command */
    weft_command *gate;    /* out of order: ends when all commands since the last closed gate have */
    weft_command *closed;  /* out of order: the last closed gate */
    weft_command *barrier; /* out of order: what later commands wait for */

    /* Guarded by pool->lock. */
    weft_command *first, *last; /* ready commands that may still be joined */
    _Atomic uint32_t ready;
    weft_queue *next, *previous;
    bool listed;
};

/* What the word of an idle worker says. */
enum { IDLE_SPINNING, IDLE_SLEEPING, IDLE_WORK, IDLE_WATCH };

typedef struct weft_thread {
    _Atomic uint32_t word; /* IDLE_*: an idle worker sleeps on it */
    weft_pool *pool;       /* NULL for host threads */
    uint32_t home;         /* the slot it takes chunks from first */
    bool starts_watching;
    bool idle; /* guarded by pool->lock, as are its neighbours in the list of idle workers */
    struct weft_thread *idle_next, *idle_previous;
    void *local, *context; /* the arenas */
    size_t local_bytes, context_bytes;
    _Atomic(weft_command *) target; /* what a waiting host thread waits for */
    _Atomic uint32_t working;       /* inside a chunk */
    _Atomic uint32_t frozen;        /* stopped for ever, inside a chunk, because the process ends */
    _Atomic uint32_t guarded;       /* times that weft_guard was called: freezes later */
    _Atomic uint32_t to_freeze;     /* as soon as it is not guarded any more */
    weft_command *_Atomic running;  /* the command whose work-groups it runs at the moment */
    _Atomic uint64_t group;         /* the number of the work-group */
    bool interruptible;             /* the main thread of a Python program, waiting */
    _Atomic uint32_t can_leave;     /* inside a kernel that it can leave by a jump to `leave` */
    _Atomic uint32_t interrupted;   /* it has left one */
    _Atomic uint32_t signalled;     /* a signal came inside a kernel while it was guarded */
    sigjmp_buf leave;
    void *fault_stack;              /* for the handler of faults, if it has none of the program's */
    pthread_t handle;
    struct weft_thread *next, *previous; /* all threads, guarded by the lock in memory.c */
} weft_thread;

struct weft_pool {
    weft_lock lock;
    uint32_t limit;
    bool exclusive;
    uint32_t spin;
    weft_queue *first, *last; /* queues with ready commands */
    weft_thread *idle;        /* the latest to become idle first */
    weft_thread *watcher;     /* the idle worker that looks for ready commands now and then */
    bool watcher_starting;
    _Atomic uint32_t workers;
    _Atomic uint32_t homes;  /* workers ever started */
    uint32_t searching;      /* workers that have been woken and have not looked for work yet */
    uint32_t pushes;         /* ready commands so far */
    _Atomic uint32_t active; /* threads that are running commands; raised under the lock only */
    _Atomic uint32_t demand; /* threads that ready commands still want; changed under the lock only */
    weft_remote *remote; /* launches run in another process; NULL: in this one */
    weft_simulation *simulation; /* launches are run by a function of the host; NULL: they are not */
    weft_pool *next;
};

/* What is to be done when the pool's lock is released: threads to wake, how many to start. */
typedef struct weft_wakes {
    weft_thread *sleepers[3];
    uint32_t sleeping, chosen, start;
    bool start_watcher;
} weft_wakes;

/* How a command's work is cut up and how many threads it is worth. */
typedef struct weft_plan {
    uint64_t units, grain;
    uint32_t chunks, slots, wanted;
    bool urgent; /* long enough to wake a worker at once */
} weft_plan;

extern _Atomic uint32_t weft_generation; /* how many forks lie between the first process and this one */
extern _Atomic uint32_t weft_stopping;

static inline bool weft_is_stopping(void) {
    return atomic_load_explicit(&weft_stopping, memory_order_relaxed) != 0;
}

static inline uint32_t weft_current_generation(void) {
    return atomic_load_explicit(&weft_generation, memory_order_relaxed);
}

/* The work-items that a call of a work-group function runs, but for those at the end of the range. */
static inline double weft_items(const weft_launch *launch) {
    return (double)(launch->local_size[0] * launch->local_size[1] * launch->local_size[2]);
}

/* command.c */
weft_command *weft_command_new(weft_kind kind, weft_pool *pool, weft_queue *queue, const weft_plan *plan,
                               const void *args, size_t args_bytes, uint32_t edges);
void weft_fill_slots(weft_command *command, const weft_plan *plan);
void weft_add_edge(weft_command *before, weft_command *after, weft_edge *edge, bool carries_failure);
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
double weft_estimate(uintptr_t function);
void weft_learn(uintptr_t function, uint64_t elapsed_ns, double items);
bool weft_take_chunk(weft_command *command, uint32_t home, uint32_t *chunk);
bool weft_has_chunks(const weft_command *command);
void weft_run_chunk(weft_command *command, weft_thread *self, uint32_t chunk);
void weft_group_place(const weft_launch *launch, uint64_t group, uint64_t place[3]);

/* interrupt.c */
bool weft_interrupts_begin(weft_thread *self); /* whether Ctrl-C may end the thread's wait */
uint32_t weft_interrupts(void);                /* how often it was pressed */
bool weft_check_interrupts(void);              /* whether the program raises an exception now */
void weft_interrupts_install(void);
void weft_interrupts_reset(void);
void weft_leave_if_signalled(weft_thread *self);

/* faults.c */
void weft_watch_faults(void);
void weft_allow_faults(sigset_t *blocked);
void weft_fault_stack_begin(weft_thread *thread);
void weft_fault_stack_end(weft_thread *thread);
/* One line on standard error: what went wrong with the kernel of a command. */
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
/* For handlers of signals: the command that the calling thread runs work-groups of, and the group; or NULL. */
const weft_command *weft_running_here(uint64_t *group);
bool weft_grow_arena(void **arena, size_t *bytes, size_t wanted);

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
