/* Signals in a Python program: Ctrl-C and other signals for which the program has handlers.
 *
 * Our handler wraps Python's and counts signals. A signal can end a wait of the main thread, also while that thread
 * itself runs a kernel. The waiting thread makes Python run the handlers of the program, and continues if none of them
 * raises an exception. If the thread is inside a kernel, the signal handler does that immediately, because only kernel
 * code is interrupted. If the program raises an exception, the thread leaves the kernel by a jump, and the command
 * fails.
 *
 * A program can do without the result of a call that only waits, but not without that of other calls: an exception
 * could not propagate through the client's C code. So a signal that arrives during a call is reported to Python when
 * the call ends or waits, or when it has taken too long for a user: a timer then sends the signal again.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <ucontext.h>

enum { VERIFY_NS = 50000000, PATIENCE_NS = 250000000 };

static _Atomic(pthread_t) main_thread;
static int (*_Atomic check)(void);
static _Atomic uint32_t arrivals;
/* The signals for which programs usually have handlers, except faults. */
static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
                              SIGCHLD, SIGCONT, SIGTSTP, SIGPIPE, SIGIO,   SIGURG,    SIGPWR,  SIGWINCH, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof *signals };
_Static_assert(SIGNALS <= 32, "`deferred` has a bit for each signal");
static void (*python_handler)(int);  /* Python's handler, which is the same for all signals */
static weft_thread *_Atomic waiting; /* the main thread, once it has begun a wait */
static _Atomic uint32_t held;        /* nesting depth of calls of the main thread; only that thread changes it */
static _Atomic uint32_t deferred;    /* bit set of signals not reported to Python yet, indexed like `signals` */
static struct {
    timer_t timer; /* sends a deferred signal again */
    _Atomic bool made;
} timers[SIGNALS];

int weft_interrupt_ends_process(void) {
    struct sigaction now;
    return !sigaction(SIGINT, NULL, &now) && now.sa_flags & (int)SA_RESETHAND;
}

/* `function` runs the program's signal handlers; it returns 1 if one of them has raised an exception. `main` is the
 * only thread in which Python runs them. `function` 0: stops the handling of signals. */
void weft_interrupts_on(uintptr_t main, uintptr_t function) {
    struct sigaction now;
    if (function && !python_handler && !weft_interrupt_ends_process() && !sigaction(SIGINT, NULL, &now))
        python_handler = now.sa_handler;
    atomic_store(&main_thread, (pthread_t)main);
    atomic_store(&check, (int (*)(void))function);
}

/* In the child of a fork: the main thread may be a different one and is in no call, and timers are not inherited. */
void weft_interrupts_reset(void) {
    atomic_store(&waiting, NULL);
    atomic_store(&held, 0);
    atomic_store(&deferred, 0);
    for (int i = 0; i < SIGNALS; i++)
        atomic_store(&timers[i].made, false);
}

static void set_timer(int which, long nanoseconds) {
    struct itimerspec time = {.it_value.tv_nsec = nanoseconds};
    timer_settime(timers[which].timer, 0, &time, NULL);
}

/* Defers a signal if it can be deferred; whether it was. */
static bool defer(int which) {
    uint32_t bit = 1u << which;
    if (!atomic_load(&held) || !atomic_load(&check) || !atomic_load(&timers[which].made))
        return false;
    if (!(atomic_fetch_or(&deferred, bit) & bit))
        set_timer(which, PATIENCE_NS);
    return true;
}

/* Clears the deferred state of a signal; whether it was deferred. */
static bool take_deferred(int which) {
    uint32_t bit = 1u << which;
    return atomic_fetch_and(&deferred, ~bit) & bit;
}

static void deliver(void) {
    for (int i = 0; i < SIGNALS && atomic_load(&deferred); i++)
        if (take_deferred(i)) {
            set_timer(i, 0);
            python_handler(signals[i]);
        }
}

bool weft_check_interrupts(void) {
    int (*function)(void) = atomic_load(&check);
    deliver();
    return function && function();
}

uint32_t weft_interrupts(void) {
    return atomic_load(&arrivals);
}

static bool is_main(void) {
    return atomic_load_explicit(&check, memory_order_relaxed) &&
           pthread_equal(atomic_load_explicit(&main_thread, memory_order_relaxed), pthread_self());
}

/* Runs the program's handlers in a thread that is inside a kernel. Leaves the kernel by a jump if one raises an
 * exception. */
static void run_handlers_in_kernel(weft_thread *self, const sigset_t *mask) {
    for (;;) {
        uint32_t seen = atomic_load(&arrivals);
        atomic_store(&self->can_leave, 0);
        if (weft_check_interrupts()) {
            atomic_store(&self->interrupted, 1);
            if (mask)
                pthread_sigmask(SIG_SETMASK, mask, NULL);
            siglongjmp(self->leave, 1);
        }
        atomic_store(&self->can_leave, 1);
        if (atomic_load(&arrivals) == seen)
            return;
    }
}

void weft_leave_if_signalled(weft_thread *self) {
    if (atomic_exchange(&self->signalled, 0) && atomic_load(&self->can_leave))
        run_handlers_in_kernel(self, NULL);
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno, which = 0;
    while (which < SIGNALS - 1 && signals[which] != signal)
        which++;
    bool again = info->si_code == SI_TIMER && info->si_value.sival_ptr == &timers[which];
    if (again && !take_deferred(which))
        return;
    atomic_fetch_add(&arrivals, 1);
    weft_thread *self = is_main() ? atomic_load(&waiting) : NULL;
    if (self && !atomic_load(&self->can_leave))
        self = NULL;
    if (self && atomic_load(&self->guarded)) {
        atomic_store(&self->signalled, 1);
        python_handler(signal);
    } else if (self) {
        python_handler(signal);
        run_handlers_in_kernel(self, &((ucontext_t *)context)->uc_sigmask);
    } else if (again || !defer(which)) {
        python_handler(signal);
    }
    errno = error;
}

static uint64_t coarse_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Installs our handler for signals that Python handles. That has to be repeated, because Python reinstalls its own
 * handler whenever the program sets one. Handlers that are not Python's are left alone. */
void weft_interrupts_install(void) {
    struct sigaction now;
    for (int i = 0; python_handler && i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &now))
            continue;
        bool ours = now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle;
        if (!ours && (now.sa_flags & SA_SIGINFO || now.sa_handler != python_handler))
            continue;
        if (!atomic_load(&timers[i].made)) {
            struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[i]};
            event.sigev_value.sival_ptr = &timers[i];
            atomic_store(&timers[i].made, timer_create(CLOCK_MONOTONIC, &event, &timers[i].timer) == 0);
        }
        if (ours)
            continue;
        /* Not on the alternate signal stack of a thread, which may be too small for the program's handlers. */
        struct sigaction action = {.sa_sigaction = handle, .sa_mask = now.sa_mask};
        action.sa_flags = (now.sa_flags | SA_SIGINFO) & ~SA_ONSTACK;
        sigaction(signals[i], &action, NULL);
    }
}

static void install_now_and_then(void) {
    static uint64_t verified;
    uint64_t now = coarse_now();
    if (now - verified > VERIFY_NS) {
        verified = now;
        weft_interrupts_install();
    }
}

bool weft_interrupts_begin(weft_thread *self) {
    if (!is_main())
        return false;
    install_now_and_then();
    atomic_store_explicit(&waiting, self, memory_order_relaxed);
    return true;
}

int weft_signals_hold(void) {
    if (!is_main())
        return 0;
    install_now_and_then();
    atomic_store(&held, atomic_load_explicit(&held, memory_order_relaxed) + 1);
    return 1;
}

void weft_signals_release(void) {
    uint32_t calls = atomic_load_explicit(&held, memory_order_relaxed);
    if (calls) /* it is 0 in the child of a fork inside the call */
        atomic_store(&held, calls - 1);
    if (calls == 1)
        deliver();
}
