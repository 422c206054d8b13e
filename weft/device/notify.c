/* Notifications: changes of a command's status, delivered to a thread that calls Python functions.
 *
 * A watch is in the list of its command until the status is low enough. Then it moves to the list of notifications,
 * which one thread consumes by weft_notify_next.
 */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>

static weft_lock lock; /* guards the list of notifications and the lists of watches of all commands */
static weft_watch *first, **last = &first; /* notifications: watches whose `threshold` is the status to be reported */
static _Atomic uint32_t arrivals; /* the futex word on which the listener sleeps; incremented for each event */
static _Atomic uint32_t ended;
static _Atomic uint32_t posted; /* weft_notify_post has been called */

/* Appends a watch to the notifications. The caller holds the lock. */
static void arrive(weft_watch *watch, int32_t status) {
    watch->threshold = status;
    watch->next = NULL;
    *last = watch;
    last = &watch->next;
    atomic_fetch_add(&arrivals, 1);
}

/* Moves the watches that `status` satisfies to the notifications; true if there are any. The caller holds the lock. */
static bool collect(weft_command *command, int32_t status) {
    weft_watch *kept = NULL, *watch = atomic_load(&command->watches);
    bool any = false;
    while (watch) {
        weft_watch *next = watch->next;
        if (status <= watch->threshold) {
            arrive(watch, status < 0 ? status : watch->threshold);
            any = true;
        } else {
            watch->next = kept;
            kept = watch;
        }
        watch = next;
    }
    /* Restore the order in which the watches were added. */
    weft_watch *ordered = NULL;
    while (kept) {
        weft_watch *next = kept->next;
        kept->next = ordered;
        ordered = kept;
        kept = next;
    }
    atomic_store(&command->watches, ordered);
    return any;
}

void weft_notify(weft_command *command, int32_t status) {
    weft_lock_acquire(&lock);
    bool any = collect(command, status);
    weft_lock_release(&lock);
    if (any)
        weft_futex_wake(&arrivals, 1);
}

/* The command is being deleted, so its watches will never be satisfied: they are reported with the status INT32_MIN. */
void weft_notify_dropped(weft_command *command) {
    weft_notify(command, INT32_MIN);
}

int weft_command_watch(weft_command *command, int32_t status, uint64_t token) {
    weft_watch *watch = malloc(sizeof *watch);
    if (!watch)
        return -1;
    watch->token = token;
    watch->threshold = status;
    watch->next = NULL;
    weft_lock_acquire(&lock);
    weft_watch *head = atomic_load(&command->watches);
    if (head) {
        while (head->next)
            head = head->next;
        head->next = watch;
    } else {
        atomic_store(&command->watches, watch);
    }
    /* The fence pairs with weft_set_status: either that sees the watch, or its status is seen here. */
    atomic_thread_fence(memory_order_seq_cst);
    bool any = collect(command, weft_command_status(command));
    weft_lock_release(&lock);
    if (any)
        weft_futex_wake(&arrivals, 1);
    return 0;
}

int weft_notify_next(uint64_t *token, int32_t *status) {
    for (;;) {
        uint32_t seen = atomic_load(&arrivals);
        if (atomic_load(&ended))
            return 0;
        if (atomic_exchange(&posted, 0)) {
            *token = 0;
            *status = 0;
            return 1;
        }
        weft_lock_acquire(&lock);
        weft_watch *watch = first;
        if (watch) {
            first = watch->next;
            if (!first)
                last = &first;
        }
        weft_lock_release(&lock);
        if (watch) {
            *token = watch->token;
            *status = watch->threshold;
            free(watch);
            return 1;
        }
        weft_futex_wait(&arrivals, seen, 0);
    }
}

void weft_notify_post(void) {
    if (atomic_exchange(&posted, 1))
        return;
    atomic_fetch_add(&arrivals, 1);
    weft_futex_wake(&arrivals, 1);
}

void weft_notify_stop(void) {
    atomic_store(&ended, 1);
    atomic_fetch_add(&arrivals, 1);
    weft_futex_wake(&arrivals, INT_MAX);
}

/* In the child of a fork: notifications that have arrived are for the parent. */
void weft_notify_reset(void) {
    atomic_store(&lock.state, 0);
    atomic_store(&ended, 0);
    atomic_store(&posted, 0);
    first = NULL;
    last = &first;
}
