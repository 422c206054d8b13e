/* Signals in a Python program: Ctrl-C and whatever else the program has handlers for.
 *
 * A handler around Python's counts what arrives. A signal ends a wait of the main thread, also while that thread itself
 * runs a kernel. The waiting thread has Python run the handlers of the program, and goes on if none of them raises an
 * exception. If it is inside a kernel when the signal comes, the handler does so there and then, since nothing but the
 * kernel is interrupted; if the program raises an exception the thread leaves the kernel for good, and the command fails.
 *
 * In a call that only waits the program can do without a result, in others it cannot: an exception could not get to it
 * through the client's C code. So Python hears of signals that come during a call when the call is over, or waits, or
 * has taken longer than a user will wait: a timer sends the signal again.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <ucontext.h>

enum { VERIFY_NS = 50000000, PATIENCE_NS = 250000000 };

static _Atomic(pthread_t) main_thread;
static int (*_Atomic check)(void);
static _Atomic uint32_t arrivals;
/* All that programs usually have handlers for, but for faults. */
static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
                              SIGCHLD, SIGCONT, SIGTSTP, SIGPIPE, SIGIO,   SIGURG,    SIGPWR,  SIGWINCH, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof *signals };
_Static_assert(SIGNALS <= 32, "`deferred` has a bit for each signal");
static void (*python_handler)(int);  /* the one that Python has for all signals */
static weft_thread *_Atomic waiting; /* the main thread, while it waits */
static _Atomic uint32_t held;        /* calls that the main thread is inside of; only it changes the number */
static _Atomic uint32_t deferred;    /* the signals that Python has not heard of yet, by place */
static struct {
    timer_t timer; /* sends a deferred signal again */
    _Atomic bool made;
} timers[SIGNALS];

int weft_interrupt_ends_process(void) {
    struct sigaction now;
    return !sigaction(SIGINT, NULL, &now) && now.sa_flags & (int)SA_RESETHAND;
}

/* `function` runs the program's handlers of signals in the thread `main`, the only one that Python runs them in, and
 * gives 1 if one of them raised an exception. 0: no more. */
void weft_interrupts_on(uintptr_t main, uintptr_t function) {
    struct sigaction now;
    if (function && !python_handler && !weft_interrupt_ends_process() && !sigaction(SIGINT, NULL, &now))
        python_handler = now.sa_handler;
    atomic_store(&main_thread, (pthread_t)main);
    atomic_store(&check, (int (*)(void))function);
}

/* In the child of a fork: the main thread, perhaps another than the parent's, is inside no call, and timers are gone. */
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

/* Whether Python is to hear of a signal later; then it does. */
static bool defer(int which) {
    uint32_t bit = 1u << which;
    if (!atomic_load(&held) || !atomic_load(&check) || !atomic_load(&timers[which].made))
        return false;
    if (!(atomic_fetch_or(&deferred, bit) & bit))
        set_timer(which, PATIENCE_NS);
    return true;
}

/* Whether a signal was deferred; it is not any more. */
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

/* Runs the program's handlers in a thread that is inside a kernel, and leaves the kernel if one raises an exception. */
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

/* Python puts its own handler back whenever the program sets one; others are left alone. */
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
        /* The program's handlers need more than the small stack that threads may have for signals. */
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
    if (calls) /* 0: in the child of a fork that was made inside the call */
        atomic_store(&held, calls - 1);
    if (calls == 1)
        deliver();
}
