/* Commands: creation and deletion, the edges between them, and completion. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The list of dependents of a command that has ended. No edge can be added to it. */
static weft_edge closed_list;
#define CLOSED (&closed_list)

static inline uintptr_t align_up(uintptr_t value, uintptr_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

/* Divides the work of a command, which must have as many slots as the plan. */
void weft_fill_slots(weft_command *command, const weft_plan *plan) {
    command->units = plan->units;
    command->grain = plan->grain;
    command->chunks = plan->chunks;
    command->slots = plan->slots;
    command->wanted = plan->wanted;
    atomic_store_explicit(&command->unfinished, plan->chunks, memory_order_relaxed);
    for (uint32_t i = 0; i < plan->slots; i++) {
        uint64_t low = (uint64_t)plan->chunks * i / plan->slots, high = (uint64_t)plan->chunks * (i + 1) / plan->slots;
        atomic_store_explicit(&command->slot[i].range, low | high << 32, memory_order_relaxed);
    }
}

/* Creates a command with two references: one for the caller and one that its completion releases. It has one pending
 * predecessor, which weft_drop_pending removes. Edges, slots and arguments are in the same allocation. */
weft_command *weft_command_new(weft_kind kind, weft_pool *pool, weft_queue *queue, const weft_plan *plan,
                               const void *args, size_t args_bytes, uint32_t edges) {
    uint32_t slots = plan ? plan->slots : 0;
    size_t fixed = sizeof(weft_command) + (size_t)edges * sizeof(weft_edge);
    size_t extra = (slots ? slots * sizeof(weft_slot) + CACHE_LINE : 0) +
                   (args_bytes ? ARENA_ALIGNMENT : 0);
    if (args_bytes > SIZE_MAX / 2)
        return NULL;
    weft_command *command = malloc(fixed + extra + args_bytes);
    if (!command)
        return NULL;
    memset(command, 0, offsetof(weft_command, launch));
    uintptr_t after = (uintptr_t)command + fixed;
    if (slots) {
        after = align_up(after, CACHE_LINE);
        command->slot = (weft_slot *)after;
        after += slots * sizeof(weft_slot);
    }
    if (args_bytes) {
        /* The largest alignment of an argument is that of 128-byte vectors. */
        command->args = (void *)align_up(after, ARENA_ALIGNMENT);
        command->args_bytes = args_bytes;
        memcpy(command->args, args, args_bytes);
    }
    atomic_init(&command->status, QUEUED);
    atomic_init(&command->references, 2);
    atomic_init(&command->pending, 1);
    command->generation = weft_current_generation();
    command->kind = (uint8_t)kind;
    command->pool = pool;
    if (plan)
        weft_fill_slots(command, plan);
    if (queue) {
        command->queue = queue;
        atomic_fetch_add_explicit(&queue->references, 1, memory_order_relaxed);
        command->profiling = queue->profiling;
        command->tracked = queue->settle && kind != KIND_NOTHING && kind != KIND_NATIVE;
        weft_note_time(command, TIME_QUEUED);
    }
    return command;
}

void weft_command_retain(weft_command *command) {
    atomic_fetch_add_explicit(&command->references, 1, memory_order_relaxed);
}

void weft_command_release(weft_command *command) {
    if (atomic_fetch_sub_explicit(&command->references, 1, memory_order_acq_rel) != 1)
        return;
    if (command->kind == KIND_USER && atomic_load(&command->pending)) {
        /* No one can complete the command any more. It fails, so that its dependents do not wait for ever. */
        atomic_store(&command->references, 1);
        weft_user_complete(command, OUT_OF_RESOURCES);
        weft_command_release(command);
        return;
    }
    if (atomic_load_explicit(&command->watches, memory_order_relaxed))
        weft_notify_dropped(command);
    if (command->queue)
        weft_queue_unreference(command->queue);
    free(command);
}

void weft_note_time(weft_command *command, int which) {
    if (command->profiling)
        command->times[which] = weft_now();
}

void weft_command_times(const weft_command *command, uint64_t *times) {
    /* Until the command has ended, other threads may change its times. */
    bool ended = weft_command_status(command) <= 0;
    for (int i = 0; i < 4; i++)
        times[i] = ended ? command->times[i] : 0;
}

/* A command of the parent process that had not ended before the fork never ends in the child. */
int32_t weft_command_status(const weft_command *command) {
    int32_t status = (int32_t)atomic_load_explicit(&command->status, memory_order_acquire);
    if (status > 0 && command->generation != weft_current_generation())
        return OUT_OF_RESOURCES;
    return status;
}

/* All accesses are sequentially consistent: a thread that is about to sleep, or that adds a watch, loads the status
 * afterwards, so either it sees the new status or this thread sees the sleeper or watch. */
void weft_set_status(weft_command *command, int32_t status) {
    atomic_store(&command->status, (uint32_t)status);
    if (atomic_load(&command->watches))
        weft_notify(command, status);
}

void weft_fail(weft_command *command, int32_t error) {
    int32_t none = 0;
    atomic_compare_exchange_strong(&command->error, &none, error);
}

/* Makes `after` wait for `before` unless that has ended. The caller must not have dropped the initial pending
 * predecessor of `after` yet, so `after` cannot become ready here. */
void weft_add_edge(weft_command *before, weft_command *after, weft_edge *edge, bool carries_failure) {
    if (before->generation != after->generation) {
        if (carries_failure && weft_command_status(before) < 0)
            weft_fail(after, WAIT_LIST_FAILED);
        return;
    }
    /* The thread that completes `before` may not have closed its list yet. A caller that has seen the end and enqueues
     * a command after it (a marker, to free memory that it used) must find that one ended too. A cancelled command,
     * however, is waited for until the list is closed. */
    if (weft_command_status(before) == COMPLETE)
        return;
    edge->dependent = after;
    edge->carries_failure = carries_failure;
    atomic_fetch_add_explicit(&after->pending, 1, memory_order_relaxed);
    weft_edge *head = atomic_load_explicit(&before->dependents, memory_order_acquire);
    while (head != CLOSED) {
        edge->next = head;
        if (atomic_compare_exchange_weak_explicit(&before->dependents, &head, edge, memory_order_release,
                                                  memory_order_acquire))
            return;
    }
    if (carries_failure && weft_command_status(before) < 0)
        weft_fail(after, WAIT_LIST_FAILED);
    atomic_fetch_sub_explicit(&after->pending, 1, memory_order_relaxed);
}

/* Appends the dependents of a command that the walk has not reached yet; false: no memory. */
static bool append_dependents(const weft_command *command, uint32_t walk, weft_command ***list, size_t *count, size_t *room) {
    for (weft_edge *edge = atomic_load(&command->dependents); edge && edge != CLOSED; edge = edge->next) {
        if (edge->dependent->reached == walk)
            continue;
        if (*count == *room) {
            weft_command **larger = realloc(*list, 2 * *room * sizeof **list);
            if (!larger)
                return false;
            *list = larger;
            *room *= 2;
        }
        edge->dependent->reached = walk;
        (*list)[(*count)++] = edge->dependent;
    }
    return true;
}

static weft_lock walk_lock; /* guards `walks`, and `reached` of all commands */
static uint32_t walks;

/* Whether `later` can end only after `earlier`, which the calling thread is running; true also if there is no memory to
 * find out. What depends on a command that has not ended cannot end or be freed, so the walk over its dependents needs
 * no other lock. */
bool weft_waits_for(const weft_command *later, const weft_command *earlier) {
    size_t count = 0, room = 64;
    weft_command **list = malloc(room * sizeof *list);
    weft_lock_acquire(&walk_lock);
    bool found = !list || later == earlier || !append_dependents(earlier, ++walks, &list, &count, &room);
    for (size_t i = 0; i < count && !found; i++)
        found = list[i] == later || !append_dependents(list[i], walks, &list, &count, &room);
    weft_lock_release(&walk_lock);
    free(list);
    return found;
}

/* In the child of a fork. */
void weft_commands_reset(void) {
    atomic_store(&walk_lock.state, 0);
}

static bool ends_when_ready(weft_command *command) {
    return command->kind == KIND_NOTHING || command->chunks == 0 || weft_is_stopping() ||
           atomic_load_explicit(&command->error, memory_order_relaxed) != 0;
}

/* The final status of a command without work, or whose work is skipped. */
static int32_t idle_status(weft_command *command) {
    int32_t error = atomic_load_explicit(&command->error, memory_order_relaxed);
    if (!error && command->chunks && weft_is_stopping())
        error = OUT_OF_RESOURCES;
    return error;
}

static void note_submitted(weft_command *command) {
    weft_note_time(command, TIME_SUBMITTED);
    weft_set_status(command, SUBMITTED);
}

/* Removes a pending predecessor, at the end of the enqueue. If it was the last one, the command ends or becomes
 * ready. */
void weft_drop_pending(weft_command *command, bool urgent) {
    if (atomic_fetch_sub_explicit(&command->pending, 1, memory_order_acq_rel) != 1)
        return;
    if (ends_when_ready(command)) {
        weft_complete(command, idle_status(command), NULL);
        return;
    }
    note_submitted(command);
    weft_push_enqueued(command, urgent);
}

/* Publishes the end of a command. The caller handles its dependents. */
static void publish_end(weft_command *command, int32_t status) {
    if (command->profiling) {
        uint64_t now = weft_now();
        for (int i = TIME_SUBMITTED; i <= TIME_ENDED; i++)
            if (!command->times[i] || i == TIME_ENDED)
                command->times[i] = now;
        if (command->device_ns)
            command->times[TIME_ENDED] = command->times[TIME_STARTED] + command->device_ns;
    }
    if (command->kind == KIND_NDRANGE)
        weft_printf_flush();
    weft_set_status(command, status);
    if (atomic_load(&command->sleepers))
        weft_futex_wake(&command->status, INT_MAX);
}

/* Closes the list of dependents and returns it in the order in which the edges were added. */
static weft_edge *close_dependents(weft_command *command) {
    weft_edge *edge = atomic_exchange_explicit(&command->dependents, CLOSED, memory_order_acq_rel);
    weft_edge *ordered = NULL;
    while (edge) {
        weft_edge *next = edge->next;
        edge->next = ordered;
        ordered = edge;
        edge = next;
    }
    return ordered;
}

/* Completes `command`. Dependents that become ready are passed to the pool, or completed too if they have no work or
 * fail; that is a loop, because chains may be long. `self` is the calling thread if it runs commands. */
void weft_complete(weft_command *command, int32_t status, weft_thread *self) {
    weft_command *ended = command, *ready = NULL, **ready_end = &ready;
    command->next = NULL;
    while (ended) {
        weft_command *current = ended;
        ended = current->next;
        publish_end(current, status);
        for (weft_edge *edge = close_dependents(current); edge;) {
            weft_command *dependent = edge->dependent;
            if (status < 0 && edge->carries_failure)
                weft_fail(dependent, WAIT_LIST_FAILED);
            /* The edge may be part of the dependent, which must not be accessed after `pending` has been decremented,
             * unless it has become ready here. */
            edge = edge->next;
            if (atomic_fetch_sub_explicit(&dependent->pending, 1, memory_order_acq_rel) != 1)
                continue;
            if (ends_when_ready(dependent)) {
                dependent->next = ended;
                ended = dependent;
            } else {
                note_submitted(dependent);
                dependent->next = NULL;
                *ready_end = dependent;
                ready_end = &dependent->next;
            }
        }
        weft_command_release(current);
        if (ended)
            status = idle_status(ended);
    }
    if (ready)
        weft_push_released(ready, self);
}

void weft_command_cancel(weft_command *command) {
    weft_fail(command, OUT_OF_RESOURCES);
    uint32_t status = atomic_load(&command->status);
    while ((int32_t)status > 0 && !weft_is_stopping()) {
        if (status == RUNNING) {
            /* The thread that runs it stores RUNNING before it loads `error`, so wait for its end. */
            weft_futex_wait(&command->status, RUNNING, 1000000);
            status = atomic_load(&command->status);
        } else if (atomic_compare_exchange_strong(&command->status, &status, (uint32_t)OUT_OF_RESOURCES)) {
            /* It keeps its position in the queue: later commands still wait for earlier ones. */
            weft_set_status(command, OUT_OF_RESOURCES);
            weft_futex_wake(&command->status, INT_MAX);
            return;
        }
    }
}

weft_command *weft_user_command(weft_pool *pool) {
    weft_command *command = weft_command_new(KIND_USER, pool, NULL, NULL, NULL, 0, 0);
    if (command) {
        atomic_store_explicit(&command->status, SUBMITTED, memory_order_relaxed);
        atomic_store_explicit(&command->references, 1, memory_order_relaxed);
    }
    return command;
}

int weft_user_complete(weft_command *command, int32_t status) {
    if (command->kind != KIND_USER || atomic_exchange(&command->pending, 0) != 1)
        return -1;
    if (command->generation != weft_current_generation())
        return 0;
    weft_command_retain(command);
    weft_complete(command, status, NULL);
    return 0;
}
