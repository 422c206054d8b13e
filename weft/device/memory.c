/* Memory of the device, the list of threads that run commands, and their arenas. */
#define _GNU_SOURCE
#include "internal.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 4 << 20, ARENA_STEP = 64 << 10 };

void *weft_allocate(size_t nbytes, size_t alignment) {
    void *address = NULL;
    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (nbytes >= HUGE_FROM && alignment <= HUGE_PAGE) {
        alignment = HUGE_PAGE;
        if ((address = weft_take_kept(nbytes)))
            return address;
    }
    if (nbytes == 0 || nbytes > SIZE_MAX / 2 - alignment)
        return NULL;
    /* Kept blocks count towards limits of the address space, so free them before giving up. */
    while (posix_memalign(&address, alignment, nbytes))
        if (!weft_free_kept())
            return NULL;
#ifdef MADV_HUGEPAGE
    if (nbytes >= HUGE_FROM)
        madvise(address, nbytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return address;
}

void weft_free(void *address) {
    size_t nbytes = address ? malloc_usable_size(address) : 0;
    /* Any block aligned to huge pages can be reused as a large block. */
    if (nbytes >= HUGE_FROM && (uintptr_t)address % HUGE_PAGE == 0)
        weft_keep(address, nbytes);
    else
        free(address);
}

/* Makes the arena larger than `wanted` bytes; its contents are lost. It never shrinks, because launches repeat. It has
 * at least one byte more than `wanted`, because kernels may compare pointers with the address after the last byte. */
bool weft_grow_arena(void **arena, size_t *bytes, size_t wanted) {
    if (wanted < *bytes && *arena)
        return true;
    if (wanted > SIZE_MAX / 2 - ARENA_STEP)
        return false;
    size_t rounded = (wanted / ARENA_STEP + 1) * ARENA_STEP;
    weft_thread *self = weft_guard();
    free(*arena);
    *arena = weft_allocate(rounded, ARENA_ALIGNMENT);
    *bytes = *arena ? rounded : 0;
    weft_unguard(self);
    return *arena != NULL;
}

static weft_lock threads_lock;
static weft_thread *threads;
static _Thread_local weft_thread *current;
static pthread_key_t host_key;
static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static bool host_key_made;

weft_thread *weft_thread_new(void) {
    return calloc(1, sizeof(weft_thread));
}

void weft_thread_register(weft_thread *thread) {
    weft_lock_acquire(&threads_lock);
    thread->previous = NULL;
    thread->next = threads;
    if (threads)
        threads->previous = thread;
    threads = thread;
    weft_lock_release(&threads_lock);
}

/* Removes the thread from the list and frees it and its arenas. */
void weft_thread_unregister(weft_thread *thread) {
    weft_lock_acquire(&threads_lock);
    if (thread->previous)
        thread->previous->next = thread->next;
    else if (threads == thread)
        threads = thread->next;
    if (thread->next)
        thread->next->previous = thread->previous;
    weft_lock_release(&threads_lock);
    free(thread->local);
    free(thread->context);
    weft_free_own_stack(thread);
    free(thread);
}

void weft_thread_become(weft_thread *thread) {
    current = thread;
}

weft_thread *weft_thread_current(void) {
    return current;
}

static void host_thread_ends(void *thread) {
    current = NULL;
    weft_fault_stack_end(thread);
    weft_thread_unregister(thread);
}

static void make_host_key(void) {
    host_key_made = pthread_key_create(&host_key, host_thread_ends) == 0;
}

/* The calling thread, host or worker; NULL if memory is exhausted. */
weft_thread *weft_host_thread(void) {
    if (current)
        return current;
    pthread_once(&host_once, make_host_key);
    weft_thread *thread = weft_thread_new();
    if (!thread)
        return NULL;
    if (!host_key_made || pthread_setspecific(host_key, thread)) {
        free(thread);
        return NULL;
    }
    thread->handle = pthread_self();
    weft_fault_stack_begin(thread);
    weft_thread_register(thread);
    current = thread;
    return thread;
}

void weft_threads_each(void (*visit)(weft_thread *thread, void *with), void *with) {
    weft_lock_acquire(&threads_lock);
    for (weft_thread *thread = threads; thread; thread = thread->next)
        visit(thread, with);
    weft_lock_release(&threads_lock);
}

const weft_command *weft_running_here(uint64_t *group) {
    const weft_command *command = NULL;
    uint32_t open = 0;
    /* This runs in a signal handler, so it must not block. A thread that holds the lock is not inside a kernel. */
    for (int i = 0; !atomic_compare_exchange_strong(&threads_lock.state, &open, 1); i++, open = 0) {
        if (i == 1000)
            return NULL;
        weft_pause();
    }
    for (const weft_thread *thread = threads; thread && !command; thread = thread->next)
        if (pthread_equal(thread->handle, pthread_self())) {
            command = atomic_load_explicit(&thread->running, memory_order_relaxed);
            *group = atomic_load_explicit(&thread->group, memory_order_relaxed);
        }
    weft_lock_release(&threads_lock);
    return command;
}

/* In the child of a fork only the calling thread exists; the structures of other threads are leaked. */
void weft_threads_reset(void) {
    atomic_store(&threads_lock.state, 0);
    threads = NULL;
    if (current && current->pool)
        current = NULL;
    if (current) {
        current->next = current->previous = NULL;
        current->idle = false;
        threads = current;
    }
}
