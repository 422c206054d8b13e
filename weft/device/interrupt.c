/* Ctrl-C in a Python program: it ends a wait of the main thread, also while that thread itself runs a kernel. So do
 * other signals that the program has handlers for.
 *
 * A handler around Python's counts what arrives. The waiting main thread then has Python run the handlers of the
 * program, and goes on if none of them raises an exception. If it is inside a kernel when the signal comes, the
 * handler does so there and then, since nothing but the kernel is interrupted; if the program raises an exception
 * the thread leaves the kernel for good, and the command fails.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <ucontext.h>

enum { VERIFY_NS = 50000000 };

static _Atomic(pthread_t) main_thread;
static int (*_Atomic check)(void);
static _Atomic uint32_t arrivals;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction previous[SIGNALS];
static void (*python_handler)(int); /* the one that Python has for all signals */
static weft_thread *_Atomic waiting; /* the main thread, while it waits */

/* `function` runs the program's handlers of signals in the thread `main`, the only one that Python runs them in, and
 * gives 1 if one of them raised an exception. 0: no more. */
void weft_interrupts_on(uintptr_t main, uintptr_t function) {
    struct sigaction now;
    if (function && !python_handler && !sigaction(SIGINT, NULL, &now))
        python_handler = now.sa_handler;
    atomic_store(&main_thread, (pthread_t)main);
    atomic_store(&check, (int (*)(void))function);
}

bool weft_check_interrupts(void) {
    int (*function)(void) = atomic_load(&check);
    return function && function();
}

uint32_t weft_interrupts(void) {
    return atomic_load(&arrivals);
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno, which = 0;
    while (which < SIGNALS - 1 && signals[which] != signal)
        which++;
    atomic_fetch_add(&arrivals, 1);
    if (previous[which].sa_flags & SA_SIGINFO)
        previous[which].sa_sigaction(signal, info, context);
    else
        previous[which].sa_handler(signal);
    weft_thread *self = pthread_equal(atomic_load(&main_thread), pthread_self()) ? atomic_load(&waiting) : NULL;
    if (self && atomic_load(&self->can_leave) && !atomic_load(&self->guarded)) {
        atomic_store(&self->can_leave, 0);
        if (weft_check_interrupts()) {
            atomic_store(&self->interrupted, 1);
            pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
            siglongjmp(self->leave, 1);
        }
        atomic_store(&self->can_leave, 1);
    }
    errno = error;
}

static uint64_t coarse_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Python puts its own handler back whenever the program sets one; others are left alone. */
static void install(void) {
    struct sigaction now;
    for (int i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &now) || (now.sa_flags & SA_SIGINFO) || now.sa_handler != python_handler)
            continue;
        previous[i] = now;
        /* The program's handlers need more than the small stack that threads may have for signals. */
        struct sigaction action = {.sa_sigaction = handle, .sa_mask = now.sa_mask};
        action.sa_flags = (now.sa_flags | SA_SIGINFO) & ~SA_ONSTACK;
        sigaction(signals[i], &action, NULL);
    }
}

bool weft_interrupts_begin(weft_thread *self) {
    static uint64_t verified;
    if (!atomic_load_explicit(&check, memory_order_relaxed) ||
        !pthread_equal(atomic_load_explicit(&main_thread, memory_order_relaxed), self->handle))
        return false;
    uint64_t now = coarse_now();
    if (now - verified > VERIFY_NS) {
        verified = now;
        install();
    }
    atomic_store_explicit(&waiting, self, memory_order_relaxed);
    return true;
}
