/* Reports of faults in kernels: one line with the name of the kernel and the work-items that were running. Then the
 * signal is passed on: to the handler that the program had before, or to the default action, which ends the process.
 *
 * The handler is called for every fault of the process, in any thread and with any locks held. So it blocks on no lock,
 * uses no thread-local storage (which may be allocated at its first use), and writes by `write` only.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 1024, NAME_BYTES = 56, STACK_BYTES = 32 << 10 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction previous[SIGNALS];

/* The names of work-group functions, by a hash of the address. A function whose entry was overwritten by another one is
 * reported as "?". If another thread is writing the entry, the name is dropped: a lock could be held by another thread
 * during a fork. */
enum { BEING_WRITTEN = 1 };
static struct {
    _Atomic uintptr_t function;
    char name[NAME_BYTES];
} names[NAMES];

static size_t place_of(uintptr_t function) {
    return (function * 0x9E3779B97F4A7C15u) >> 54;
}

void weft_name_function(uintptr_t function, const char *name) {
    size_t at = place_of(function);
    uintptr_t before = atomic_load_explicit(&names[at].function, memory_order_relaxed);
    if (before == BEING_WRITTEN || !atomic_compare_exchange_strong(&names[at].function, &before, BEING_WRITTEN))
        return;
    strncpy(names[at].name, name, NAME_BYTES - 1);
    atomic_store_explicit(&names[at].function, function, memory_order_release);
}

static char *put_text(char *at, char *end, const char *text) {
    while (*text && at < end)
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, char *end, uint64_t value, uint64_t base) {
    char digits[24];
    int count = 0;
    do
        digits[count++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (count && at < end)
        *at++ = digits[--count];
    return at;
}

/* The global ids of the group, as "[0, 63] x [8, 8]". */
static char *put_range(char *at, char *end, const weft_launch *launch, uint64_t group) {
    uint64_t place[3];
    weft_group_place(launch, group, place);
    for (uint32_t i = 0; i < launch->work_dim && i < 3; i++) {
        uint64_t first = place[i] * launch->local_size[i], last = first + launch->local_size[i];
        if (last > launch->global_size[i])
            last = launch->global_size[i];
        at = put_text(at, end, i ? " x [" : "[");
        at = put_number(at, end, launch->global_offset[i] + first, 10);
        at = put_text(at, end, ", ");
        at = put_number(at, end, launch->global_offset[i] + last - 1, 10);
        at = put_text(at, end, "]");
    }
    return at;
}

enum { LINE_BYTES = 320 };

static char *put_kernel(char *at, char *end, const weft_command *command) {
    if (command->kind != KIND_NDRANGE)
        return put_text(at, end, "weft: a transfer: ");
    size_t place = place_of(command->function);
    at = put_text(at, end, "weft: kernel '");
    at = put_text(at, end, atomic_load(&names[place].function) == command->function ? names[place].name : "?");
    return put_text(at, end, "': ");
}

static void put_line(char *line, char *at) {
    *at++ = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)(at - line));
    (void)ignored;
}

static void note_failure(const weft_command *command) {
    if (command->queue)
        atomic_store(&command->queue->failure, OUT_OF_RESOURCES);
}

void weft_tell_failure(const weft_command *command, const char *what) {
    note_failure(command);
    char line[LINE_BYTES], *end = line + sizeof line - 1;
    put_line(line, put_text(put_kernel(line, end, command), end, what));
}

/* `address` and `group` are UINT64_MAX if unknown. */
void weft_tell_fault(const weft_command *command, uint64_t group, int signal, uint64_t address) {
    note_failure(command);
    static const char *const causes[SIGNALS] = {"invalid memory access", "invalid memory access",
                                                "arithmetic exception", "illegal instruction", "trap"};
    char line[LINE_BYTES], *end = line + sizeof line - 1, *at = put_kernel(line, end, command);
    const weft_launch *launch = &command->launch;
    const char *cause = signal == SIGABRT ? "abort" : "signal";
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == signal)
            cause = causes[i];
    at = put_text(at, end, cause);
    if (address != UINT64_MAX) {
        at = put_text(at, end, " at 0x");
        at = put_number(at, end, address, 16);
    }
    if (group < launch->num_groups[0] * launch->num_groups[1] * launch->num_groups[2]) {
        at = put_text(at, end, " by work-items with global ids ");
        at = put_range(at, end, launch, group);
    }
    put_line(line, at);
}

static void tell(const weft_command *command, uint64_t group, int signal, const siginfo_t *info) {
    /* The processor reports no address if it is not canonical. */
    bool known = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0 && info->si_code != SI_KERNEL;
    weft_tell_fault(command, group, signal, known ? (uint64_t)(uintptr_t)info->si_addr : UINT64_MAX);
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno, which = 0;
    while (which < SIGNALS - 1 && signals[which] != signal)
        which++;
    uint64_t group;
    /* Python's faulthandler passes a fault on by raising the signal again. */
    bool fault = info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
    const weft_command *command = fault ? weft_running_here(&group) : NULL;
    if (command)
        tell(command, group, signal, info);
    const struct sigaction *old = &previous[which];
    errno = error;
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal);
    } else {
        /* When this returns, the instruction faults again and ends the process. A signal that was sent has to be sent
         * again, and so has that of a trap, which may continue after its instruction. */
        sigaction(signal, old, NULL);
        if (info->si_code <= 0 || signal == SIGTRAP)
            raise(signal);
    }
}

void weft_watch_faults(void) {
    for (int i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &previous[i]))
            continue;
        struct sigaction action = {.sa_sigaction = handle, .sa_mask = previous[i].sa_mask};
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | (previous[i].sa_flags & (SA_RESTART | SA_NODEFER));
        sigaction(signals[i], &action, NULL);
    }
}

void weft_allow_faults(sigset_t *blocked) {
    for (int i = 0; i < SIGNALS; i++)
        sigdelset(blocked, signals[i]);
}

/* Sets a stack for the handler, because a kernel with large private arrays may have exhausted the stack of the
 * thread. */
void weft_fault_stack_begin(weft_thread *thread) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) || !(stack.ss_flags & SS_DISABLE))
        return;
    stack = (stack_t){.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    if (stack.ss_sp && sigaltstack(&stack, NULL)) {
        free(stack.ss_sp);
        stack.ss_sp = NULL;
    }
    thread->fault_stack = stack.ss_sp;
}

/* Must be called by the thread itself, before it ends. */
void weft_fault_stack_end(weft_thread *thread) {
    stack_t stack;
    if (!thread->fault_stack)
        return;
    if (!sigaltstack(NULL, &stack) && stack.ss_sp == thread->fault_stack) {
        stack = (stack_t){.ss_flags = SS_DISABLE};
        sigaltstack(&stack, NULL);
    }
    free(thread->fault_stack);
    thread->fault_stack = NULL;
}
