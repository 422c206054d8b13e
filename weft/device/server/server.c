/* The device server: a process that runs the work-groups of kernels for a driver in another process.
 *
 * It starts with a socket and two memory files, maps them at the addresses that the driver uses, starts its threads,
 * and gives up every system call except those needed to wait, to compute and to report. From then on it allocates no
 * memory, opens no files and starts no threads. If a kernel faults, a signal handler reports it and the process ends.
 * Whatever a kernel does to this process, the driver notices it at the latest when the socket closes.
 * docs/isolated-device.md describes the design.
 *
 * For another processor (WEFT_EMULATED) it runs in qemu, which needs system calls and memory of its own; they cannot be
 * given up. qemu also keeps its translations, and notices new code at an old address only if the code is mapped again.
 *
 * Thread 0 receives launches and works on them; the other threads join it. When the driver ends, a pipe is closed, and
 * the system then kills this process, so that no kernel outlives the driver.
 */
#define _GNU_SOURCE
#include "../format.h"
#include "../groups.h"
#include "../loop_choice.h"
#include "../protocol.h"
#include "../sub_groups.h"
#include "../sync.h"
#include "allocate.h"
#include "server_imports.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef WEFT_EMULATED
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { CHUNKS_PER_THREAD = 32, MOST_WAKES = 2, CACHE_LINE = 64, PAGE_BYTES = 4096 };
enum { STACK_BYTES = 8 << 20, FAULT_STACK_BYTES = 64 << 10, TEXT_BYTES = 1 << 20 };
/* Large, so that a kernel with large private arrays does not step over the guard into other memory. */
static const size_t GUARD_BYTES = (size_t)1 << 30;

typedef struct server_thread {
    _Alignas(CACHE_LINE) _Atomic uint64_t range; /* chunks that no thread has taken yet: see weft_take_from */
    uint32_t number;
    uint64_t group; /* the work-group that it runs; UINT64_MAX: none */
    char *text;     /* buffer for the output of a printf call */
} server_thread;

/* Data that is made read-only before kernels run. */
static struct {
    _Alignas(PAGE_BYTES) weft_hello hello;
    server_thread *threads;
    _Alignas(PAGE_BYTES) char end[1];
} fixed;
static _Thread_local server_thread *self;
static _Atomic uint32_t ready;

/* The current launch. Thread 0 writes it before it publishes the launch by `open_launch`. */
static weft_run run;
static _Alignas(ALIGNMENT_OF_ARENAS) unsigned char args[MOST_ARGS_BYTES];
static uint64_t groups, grain;
static _Atomic uint64_t open_launch; /* upper half: number of the launch, 0 if no chunk is left; lower half: threads in it */
static _Atomic uint32_t turn;        /* number of the latest launch; the futex word of idle threads */
static _Atomic uint32_t asleep;      /* number of threads still to be woken for it */

static void end(int status) {
    for (;;)
        _exit(status);
}

static void send_all(const void *message, size_t length) {
    while (send(SERVER_SOCKET, message, length, MSG_NOSIGNAL) != (ssize_t)length)
        if (errno != EINTR)
            end(2);
}

/* ---- functions that kernels call ----------------------------------------------------------------------------- */

static int32_t weft_printf(const char *format, const char *types, ...) {
    weft_output *head = (weft_output *)self->text;
    weft_text out = {self->text + sizeof *head, 0, TEXT_BYTES - sizeof *head, NULL};
    va_list list;
    va_start(list, types);
    bool done = weft_format(&out, format, types, list);
    va_end(list);
    char *at = out.data;
    for (size_t left = out.length; left;) {
        size_t piece = left < MOST_OUTPUT_BYTES ? left : MOST_OUTPUT_BYTES;
        /* The text before the piece has been sent, so it can be overwritten by the head. */
        head = (weft_output *)(at - sizeof *head);
        weft_output filled = {MESSAGE_OUTPUT, (uint32_t)piece};
        memcpy(head, &filled, sizeof filled);
        send_all(head, sizeof filled + piece);
        at += piece;
        left -= piece;
    }
    return done ? 0 : -1;
}

/* No signal handler leaves a kernel by a jump in this process. */
weft_thread *weft_guard(void) { return NULL; }
void weft_unguard(weft_thread *thread) { (void)thread; }

/* Old C libraries lack roundeven. In the rounding mode of launches, rint is the same. */
static double nearest_even(double x) { return rint(x); }
static float nearest_even_float(float x) { return rintf(x); }
#define roundeven nearest_even
#define roundevenf nearest_even_float

#define ADDRESS(name) (uintptr_t)name,
static const uintptr_t imports[] = {WEFT_IMPORTS(ADDRESS)};
_Static_assert(sizeof imports <= IMPORT_BYTES, "the table of imports has no room for all");

/* ---- faults -------------------------------------------------------------------------------------------------- */

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

static void report_fault(int signal, siginfo_t *info, void *context) {
    (void)context;
    weft_reply reply = {MESSAGE_FAULT, (uint32_t)signal, run.sequence, self ? self->group : UINT64_MAX, UINT64_MAX};
    /* The processor reports no address if it is not canonical. */
    if ((signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0 && info->si_code != SI_KERNEL)
        reply.address = (uint64_t)(uintptr_t)info->si_addr;
    send_all(&reply, sizeof reply);
    end(3);
}

static void watch_faults(void) {
    struct sigaction action = {.sa_sigaction = report_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (size_t i = 0; i < sizeof fault_signals / sizeof *fault_signals; i++)
        sigaction(fault_signals[i], &action, NULL);
}

/* ---- work-groups --------------------------------------------------------------------------------------------- */

static void run_groups(uint64_t group, uint64_t count, unsigned char *local) {
    weft_group_function *function = (weft_group_function *)(uintptr_t)run.function;
    weft_place at = weft_locate(&run.launch, group);
    for (; count; count--) {
        *(volatile uint64_t *)&self->group = group;
        function(&run.launch, args, local, local + run.local_bytes, at.x, at.y, at.z);
        group++;
        if (++at.x < at.right)
            continue;
        at.x = at.left;
        if (++at.y == at.bottom && count > 1)
            at = weft_locate(&run.launch, group);
    }
    self->group = UINT64_MAX;
}

/* Runs chunks until none is left: first those of this thread, then those of others. */
static void work(void) {
    unsigned char *local =
        (unsigned char *)(uintptr_t)(run.arenas + self->number * (run.local_bytes + run.context_bytes));
    uint32_t chunk;
    fesetenv(FE_DFL_ENV);
    for (uint32_t i = 0; i < fixed.hello.threads; i++)
        while (weft_take_from(&fixed.threads[(self->number + i) % fixed.hello.threads].range, i == 0, &chunk)) {
            uint64_t first = chunk * grain;
            run_groups(first, weft_least(grain, groups - first), local);
        }
}

static uint32_t spin_turns(void) {
    return fixed.hello.threads < 2 ? 0 : fixed.hello.threads < 4 ? 100 : 400;
}

/* Waits until there is a launch other than number `seen`; spins for a moment before it sleeps. Returns its number. */
static uint32_t await_turn(uint32_t seen) {
    for (uint32_t i = 0; i < spin_turns() && atomic_load(&turn) == seen; i++)
        weft_pause();
    while (atomic_load(&turn) == seen)
        weft_futex_wait(&turn, seen, 0);
    return atomic_load(&turn);
}

/* Wakes up to two more threads for the launch; they wake others in turn. */
static void wake_others(void) {
    uint32_t left = atomic_load(&asleep), count;
    do
        if (!(count = left < MOST_WAKES ? left : MOST_WAKES))
            return;
    while (!atomic_compare_exchange_weak(&asleep, &left, left - count));
    weft_futex_wake(&turn, (int)count);
}

/* Enters a launch if it still has chunks to take; the calling thread must leave it. False if it has none. */
static bool join(uint32_t number) {
    uint64_t old = atomic_load(&open_launch);
    do
        if (old >> 32 != number)
            return false;
    while (!atomic_compare_exchange_weak(&open_launch, &old, old + 1));
    return true;
}

/* Leaves a launch that has no chunk left to take. The last thread to leave reports the end, so thread 0 need not be
 * woken for that. */
static void leave(void) {
    weft_reply reply = {MESSAGE_DONE, 0, run.sequence, UINT64_MAX, UINT64_MAX};
    uint64_t old = atomic_load(&open_launch), left;
    do
        left = (uint32_t)old - 1;
    while (!atomic_compare_exchange_weak(&open_launch, &old, left));
    if (!left)
        send_all(&reply, sizeof reply);
}

/* The loop of all threads except thread 0: joins each launch that is still open. */
static void follow(void) {
    for (uint32_t seen = 0;;) {
        seen = await_turn(seen);
        if (!join(seen))
            continue;
        wake_others();
        work();
        leave();
    }
}

static bool is_inside(uint64_t at, uint64_t bytes, uint64_t start, uint64_t length) {
    return at >= start && bytes <= length && at - start <= length - bytes;
}

/* The number of work-groups of a launch; 0 if the launch is invalid. */
static uint64_t count_groups(const weft_launch *launch) {
    uint64_t count = 1;
    if (launch->work_dim < 1 || launch->work_dim > 3 || (launch->block[0] && !launch->block[1]))
        return 0;
    for (int i = 0; i < 3; i++)
        if (!launch->local_size[i] || __builtin_mul_overflow(count, launch->num_groups[i], &count))
            return 0;
    return count;
}

static bool is_valid(const weft_run *asked, size_t length) {
    uint64_t arena, all;
    return length >= sizeof *asked && asked->kind == MESSAGE_LAUNCH && asked->args_bytes <= MOST_ARGS_BYTES &&
           asked->threads &&
           length == sizeof *asked + asked->args_bytes &&
           is_inside(asked->function, 1, fixed.hello.code_at, fixed.hello.code_bytes) && count_groups(&asked->launch) &&
           asked->arenas % ALIGNMENT_OF_ARENAS == 0 && asked->local_bytes % ALIGNMENT_OF_ARENAS == 0 &&
           asked->context_bytes % ALIGNMENT_OF_ARENAS == 0 &&
           !__builtin_add_overflow(asked->local_bytes, asked->context_bytes, &arena) &&
           !__builtin_mul_overflow(arena, (uint64_t)fixed.hello.threads, &all) &&
           is_inside(asked->arenas, all, fixed.hello.data_at, fixed.hello.data_bytes);
}

#ifdef WEFT_EMULATED
/* Maps the code again if it was overwritten, so that the emulator drops its translations. */
static void see_new_code(void) {
    static uint64_t seen;
    if (run.code_version == seen)
        return;
    seen = run.code_version;
    void *at = (void *)(uintptr_t)fixed.hello.code_at;
    if (mmap(at, fixed.hello.code_bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, SERVER_CODE, 0) != at)
        end(6);
}
#else
static void see_new_code(void) {}
#endif

static void begin(const weft_run *asked, const unsigned char *given) {
    weft_drop_allocations();
    run = *asked;
    see_new_code();
    memcpy(args, given, run.args_bytes);
    groups = count_groups(&run.launch);
    uint64_t most = (uint64_t)fixed.hello.threads * CHUNKS_PER_THREAD, chunks = groups < most ? groups : most;
    grain = (groups - 1) / chunks + 1;
    chunks = (groups - 1) / grain + 1;
    for (uint64_t i = 0; i < fixed.hello.threads; i++)
        atomic_store(&fixed.threads[i].range, chunks * i / fixed.hello.threads | (chunks * (i + 1) / fixed.hello.threads) << 32);
    uint32_t number = atomic_load(&turn) + 1, most_threads = run.threads < fixed.hello.threads ? run.threads : fixed.hello.threads;
    number += !number;
    atomic_store(&asleep, (chunks < most_threads ? (uint32_t)chunks : most_threads) - 1);
    atomic_store(&open_launch, (uint64_t)number << 32 | 1);
    atomic_store(&turn, number);
    wake_others();
}

/* The loop of thread 0: receives launches. */
static void lead(void) {
    static _Alignas(8) unsigned char message[MOST_MESSAGE_BYTES];
    for (;;) {
        ssize_t length = recv(SERVER_SOCKET, message, sizeof message, MSG_TRUNC);
        if (length < 0 && errno == EINTR)
            continue;
        const weft_run *asked = (const weft_run *)message;
        if (length <= 0 || (size_t)length > sizeof message || !is_valid(asked, (size_t)length))
            end(length ? 4 : 0);
        begin(asked, message + sizeof *asked);
        work();
        leave();
    }
}

static void *thread_main(void *of) {
    static unsigned char fault_stacks[MOST_SERVER_THREADS][FAULT_STACK_BYTES];
    self = of;
    stack_t stack = {.ss_sp = fault_stacks[self->number], .ss_size = FAULT_STACK_BYTES};
    if (sigaltstack(&stack, NULL))
        end(5);
    atomic_fetch_add(&ready, 1);
    weft_futex_wake(&ready, 1);
    if (self->number)
        follow();
    else
        lead();
    return NULL;
}

/* ---- the start ----------------------------------------------------------------------------------------------- */

static void *map(uint64_t at, size_t bytes, int protection, int file, int more) {
    void *address = mmap((void *)(uintptr_t)at, bytes, protection, more, file, 0);
    if (address == MAP_FAILED || (at && address != (void *)(uintptr_t)at))
        end(6);
    return address;
}

static bool are_places_valid(void) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t all = fixed.hello.imports_at | fixed.hello.code_at | fixed.hello.data_at | fixed.hello.code_bytes | fixed.hello.data_bytes;
    return all % page == 0 && fixed.hello.imports_at && fixed.hello.imports_at + IMPORT_BYTES == fixed.hello.code_at &&
           fixed.hello.code_bytes && fixed.hello.data_bytes && fixed.hello.code_bytes < (uint64_t)1 << 31 &&
           fixed.hello.code_at + fixed.hello.code_bytes == fixed.hello.data_at && fixed.hello.data_at < END_OF_REGIONS &&
           fixed.hello.data_bytes <= END_OF_REGIONS - fixed.hello.data_at;
}

static bool are_others_valid(void) {
    for (uint64_t i = 0; i < fixed.hello.others; i++) {
        uint64_t all = fixed.hello.other[i].at | fixed.hello.other[i].bytes | fixed.hello.other[i].offset;
        if (!fixed.hello.other[i].at || !fixed.hello.other[i].bytes || all % PAGE_BYTES || all >= (uint64_t)1 << 47)
            return false;
    }
    return true;
}

static void map_others(void) {
    for (int i = 0; i < (int)fixed.hello.others; i++) {
        void *at = (void *)(uintptr_t)fixed.hello.other[i].at;
        size_t bytes = fixed.hello.other[i].bytes;
        if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE | MAP_SHARED, SERVER_OTHERS + i,
                 (off_t)fixed.hello.other[i].offset) != at)
            end(6);
        madvise(at, bytes, MADV_HUGEPAGE);
        close(SERVER_OTHERS + i);
    }
}

static void map_region(void) {
    int here = MAP_FIXED_NOREPLACE;
    void *table = map(fixed.hello.imports_at, IMPORT_BYTES, PROT_READ | PROT_WRITE, -1, here | MAP_PRIVATE | MAP_ANONYMOUS);
    memcpy(table, imports, sizeof imports);
    if (mprotect(table, IMPORT_BYTES, PROT_READ))
        end(6);
    map(fixed.hello.code_at, fixed.hello.code_bytes, PROT_READ | PROT_EXEC, SERVER_CODE, here | MAP_SHARED);
    void *data = map(fixed.hello.data_at, fixed.hello.data_bytes, PROT_READ | PROT_WRITE, SERVER_DATA, here | MAP_SHARED);
    madvise(data, fixed.hello.data_bytes, MADV_HUGEPAGE);
}

static void start_threads(void) {
    int private = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    fixed.threads = map(0, fixed.hello.threads * sizeof *fixed.threads, PROT_READ | PROT_WRITE, -1, MAP_PRIVATE | MAP_ANONYMOUS);
    for (uint32_t i = 0; i < fixed.hello.threads; i++) {
        pthread_attr_t attributes;
        pthread_t handle;
        char *stack = map(0, GUARD_BYTES + STACK_BYTES, PROT_NONE, -1, private);
        fixed.threads[i].number = i;
        fixed.threads[i].group = UINT64_MAX;
        fixed.threads[i].text = map(0, TEXT_BYTES, PROT_READ | PROT_WRITE, -1, private);
        if (mprotect(stack + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) || pthread_attr_init(&attributes) ||
            pthread_attr_setstack(&attributes, stack + GUARD_BYTES, STACK_BYTES) ||
            pthread_create(&handle, &attributes, thread_main, &fixed.threads[i]))
            end(7);
    }
    for (uint32_t started; (started = atomic_load(&ready)) < fixed.hello.threads;)
        weft_futex_wait(&ready, started, 0);
}

#ifdef WEFT_EMULATED
static void give_up_rights(void) {}
#else
/* Forbids more memory, files and core dumps. */
static void set_limits(void) {
    static const int none[] = {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK};
    struct rlimit nothing = {0, 0}, files = {SERVER_SOCKET + 1, SERVER_SOCKET + 1};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (setrlimit(none[i], &nothing))
            end(8);
    if (setrlimit(RLIMIT_NOFILE, &files) || mprotect(&fixed, offsetof(typeof(fixed), end), PROT_READ))
        end(8);
}

#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define MAY(call) UNLESS(SYS_##call, 1), ALLOW
/* Allows a call on the socket only, and without another address. */
#define MAY_ON_SOCKET(call)                                                                                            \
    UNLESS(SYS_##call, 6), LOAD(args[0]), UNLESS(SERVER_SOCKET, 3), LOAD(args[4]), UNLESS(0, 1), ALLOW, KILL

/* Allows only private futexes, within this process: no words shared with the driver, and no priority inheritance. */
#define MAY_WAIT                                                                                                       \
    UNLESS(SYS_futex, 5), LOAD(args[1]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT_PRIVATE, 1, 0),                \
        UNLESS(FUTEX_WAKE_PRIVATE, 1), ALLOW, KILL

/* Forbids all other system calls in all threads. */
static void give_up_system_calls(void) {
    struct sock_filter filter[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), KILL, LOAD(nr),
        MAY_WAIT, MAY_ON_SOCKET(recvfrom), MAY_ON_SOCKET(sendto), MAY(poll), MAY(restart_syscall),
        MAY(rt_sigreturn), MAY(exit), MAY(exit_group), KILL,
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
        end(9);
}

static void give_up_rights(void) {
    close(SERVER_CODE);
    set_limits();
    give_up_system_calls();
}
#endif

static void close_other_files(void) {
    int first = SERVER_OTHERS + (int)fixed.hello.others;
#if defined(SYS_close_range)
    if (!syscall(SYS_close_range, first, UINT_MAX, 0))
        return;
#endif
    for (int file = first, most = (int)sysconf(_SC_OPEN_MAX); file < most; file++)
        close(file);
}

/* Makes the system end this process first when memory runs out, not the driver, because kernels may have used it up. If
 * the setting is not supported, the system chooses. */
static void offer_to_end(void) {
    static const char most[] = "1000";
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, most, sizeof most - 1) != sizeof most - 1)
        end(11);
    if (file >= 0)
        close(file);
}

/* Makes the system kill this process when the driver ends, whatever kernels have done to its threads. */
static void end_with_driver(void) {
    if (fcntl(SERVER_LIFE, F_SETOWN, getpid()) || fcntl(SERVER_LIFE, F_SETSIG, SIGKILL) ||
        fcntl(SERVER_LIFE, F_SETFL, O_ASYNC))
        end(10);
}

int main(void) {
    end_with_driver();
    offer_to_end();
    if (recv(SERVER_SOCKET, &fixed.hello, sizeof fixed.hello, MSG_TRUNC) != sizeof fixed.hello || fixed.hello.kind != MESSAGE_HELLO ||
        fixed.hello.version != WEFT_PROTOCOL || fixed.hello.imports_key != WEFT_IMPORTS_KEY || !fixed.hello.threads ||
        fixed.hello.threads > MOST_SERVER_THREADS || fixed.hello.others > MOST_OTHERS || !are_places_valid() ||
        !are_others_valid())
        end(1);
    close_other_files();
    map_region();
    map_others();
    close(SERVER_DATA);
    watch_faults();
    start_threads();
    weft_keep_allocations();
    give_up_rights();
    weft_reply reply = {MESSAGE_READY, 0, 0, UINT64_MAX, UINT64_MAX};
    send_all(&reply, sizeof reply);
    for (;;) { /* the driver may have ended before end_with_driver */
        struct pollfd driver = {.fd = SERVER_LIFE};
        if (poll(&driver, 1, -1) > 0)
            end(0);
    }
}
