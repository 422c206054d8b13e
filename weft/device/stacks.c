/* Stacks of kernels in host threads.
 *
 * A waiting host thread runs kernels, which may use more of the stack than the program planned for: 512 KiB of private
 * memory, and what the compiler spills. If the thread's own stack has less room, or if the thread is not on it (as in a
 * coroutine), kernels run on a stack that the pool allocates for the thread. To change stacks takes a system call or
 * two, so other threads do without.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <sys/mman.h>
#include <ucontext.h>

enum { ROOM_BYTES = 768 << 10, STACK_BYTES = 2 << 20, GUARD_BYTES = 64 << 10 };

static void find_bounds(weft_thread *self) {
    pthread_attr_t attributes;
    void *low = NULL;
    size_t bytes = 0;
    self->stack_known = true;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &bytes)) {
        self->stack_low = (uintptr_t)low;
        self->stack_high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

bool weft_has_room(weft_thread *self) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (self->pool) /* workers have large stacks */
        return true;
    if (!self->stack_known)
        find_bounds(self);
    if (!self->stack_high) /* the system does not say */
        return true;
    return here >= self->stack_low && here < self->stack_high && here - self->stack_low >= ROOM_BYTES;
}

typedef struct weft_call {
    void (*function)(void *argument);
    void *argument;
} weft_call;

static void enter(unsigned high, unsigned low) {
    weft_call *call = (weft_call *)((uintptr_t)high << 32 | low);
    call->function(call->argument);
}

bool weft_call_on_own_stack(weft_thread *self, void (*function)(void *argument), void *argument) {
    weft_call call = {function, argument};
    uintptr_t place = (uintptr_t)&call;
    ucontext_t back, there;
    if (!self->own_stack) {
        char *made = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (made == MAP_FAILED)
            return false;
        self->own_stack = made;
        if (mprotect(made + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE)) {
            weft_free_own_stack(self);
            return false;
        }
    }
    if (getcontext(&there))
        return false;
    there.uc_stack.ss_sp = (char *)self->own_stack + GUARD_BYTES;
    there.uc_stack.ss_size = STACK_BYTES;
    there.uc_link = &back;
    makecontext(&there, (void (*)(void))enter, 2, (unsigned)(place >> 32), (unsigned)place);
    return swapcontext(&back, &there) == 0;
}

void weft_free_own_stack(weft_thread *self) {
    if (self->own_stack)
        munmap(self->own_stack, GUARD_BYTES + STACK_BYTES);
    self->own_stack = NULL;
}
