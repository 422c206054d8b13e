/* Work that is left to Python: objects to be deleted, memory to be freed, and actions that wait for commands to end. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <stdlib.h>

_Atomic int32_t hot_waiting; /* number of actions of Python that wait for commands to end */
static block *deletions, *deletions_last; /* objects that Python deletes if nothing needs them; guarded by hot_lock */
typedef struct freed {
    struct freed *next;
    weft_hot_freed memory;
} freed;
static freed *frees, *frees_last; /* guarded by hot_lock */
static _Atomic uint32_t pending;  /* length of both lists */
static bool is_forked;            /* this is the child of a fork, which has no notification thread */

/* Lists an object of that kind, unless it is listed already. Python will delete it if nothing needs it. */
void hot_list_deletion(block *target, uint32_t kind) {
    pthread_mutex_lock(&hot_lock);
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
    pthread_mutex_unlock(&hot_lock);
}

uintptr_t weft_hot_next_deletion(void) {
    block *taken = NULL;
    pthread_mutex_lock(&hot_lock);
    while (!taken && deletions) {
        taken = deletions;
        deletions = taken->next;
        atomic_fetch_sub(&pending, 1);
        bool gone = taken->listed == LISTED_GONE;
        taken->listed = 0;
        if (gone) {
            hot_append_free(taken);
            taken = NULL;
        }
    }
    pthread_mutex_unlock(&hot_lock);
    return (uintptr_t)taken;
}

int weft_hot_next_free(weft_hot_freed *memory) {
    pthread_mutex_lock(&hot_lock);
    freed *taken = frees;
    if (taken) {
        frees = taken->next;
        atomic_fetch_sub(&pending, 1);
    }
    pthread_mutex_unlock(&hot_lock);
    if (!taken)
        return 0;
    *memory = taken->memory;
    free(taken);
    return 1;
}

int weft_hot_pending(void) {
    return atomic_load_explicit(&pending, memory_order_relaxed) != 0;
}

/* Processes the lists, or wakes a thread that does. This thread processes them if it is alone and not inside a call of
 * Python; inside one, the garbage collector may have called this function. Otherwise the notification thread processes
 * them, or, in the child of a fork, the thread weft-prepare. */
void hot_dispatch_pending(void) {
    if (hot_is_alone())
        hot_carry_out();
    if (weft_hot_pending())
        is_forked ? hot_carry_out_soon() : hot_pool.notify_post();
}

void hot_forget_listener(void) {
    is_forked = true;
}

void weft_hot_waiting(int32_t more) {
    atomic_fetch_add(&hot_waiting, more);
}

typedef int32_t free_entry(uintptr_t context, uintptr_t pointer);
typedef void svm_free_entry(uintptr_t context, uintptr_t pointer);

/* Lists memory to be freed by Python. The client gets no error if the pointer is not an allocation of the context. */
static int32_t list_free(uintptr_t context, uintptr_t pointer, bool is_svm) {
    if (!hot_find(context, WEFT_HOT_CONTEXT))
        return INVALID_CONTEXT;
    freed *made = malloc(sizeof *made);
    if (!made)
        return OUT_OF_HOST_MEMORY;
    *made = (freed){.memory = {.context = context, .pointer = pointer, .is_svm = is_svm}};
    pthread_mutex_lock(&hot_lock);
    if (frees)
        frees_last->next = made;
    else
        frees = made;
    frees_last = made;
    atomic_fetch_add(&pending, 1);
    pthread_mutex_unlock(&hot_lock);
    hot_dispatch_pending();
    return SUCCESS;
}

/* Whether this thread frees memory in Python at once. It does not inside a call of Python: there the garbage collector
 * may free memory of the client while Weft changes its tables of memory. */
static bool frees_at_once(void) {
    return hot_is_alone() && !hot_within();
}

void hot_svm_free(uintptr_t context, uintptr_t pointer) {
    if (frees_at_once())
        PYTHON(svm_free_entry, svm_free)(context, pointer);
    else
        list_free(context, pointer, true);
}

int32_t hot_mem_free(uintptr_t context, uintptr_t pointer) {
    return frees_at_once() ? PYTHON(free_entry, mem_free_intel)(context, pointer) : list_free(context, pointer, false);
}

/* Waits for the queues of the context that the client has not released, but not if that could deadlock: inside a call
 * of Python, where the garbage collector may free memory while Weft holds locks or prepares a launch for one of these
 * queues; and while launches wait to be prepared, which needs the GIL, because a thread that holds it may wait for this
 * one. In any case the memory is freed only after all commands that may use it have ended. */
int32_t hot_mem_blocking_free(uintptr_t context, uintptr_t pointer) {
    if (frees_at_once())
        return PYTHON(free_entry, mem_blocking_free_intel)(context, pointer);
    int32_t code = list_free(context, pointer, false);
    if (code || hot_within() || hot_has_deferred())
        return code;
    uint32_t from = 0;
    for (block *queue; (queue = hot_retain_queue(context, &from));) {
        void *state = hot_release_gil();
        int32_t ended = hot_pool.queue_finish(atomic_load(&queue->native));
        hot_reacquire_gil(state);
        hot_release_command_queue((uintptr_t)queue);
        if (ended == INTERRUPTED)
            return hot_interrupted();
    }
    return SUCCESS;
}
