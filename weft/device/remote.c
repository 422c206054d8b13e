/* Launches in another process: the driver's side of a device server.
 *
 * A remote belongs to one pool. Its region, which holds code, variables of kernels and buffers, is created with it and
 * lives as long as this process. The server is started for the first launch, and again after it has ended. Launches run
 * one at a time, so it is always known which kernel ended a server. A thread that runs a launch sends it and waits for
 * the reply, of which it trusts nothing but the length of the packet.
 */
#define _GNU_SOURCE
#include "internal.h"

#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
enum { WAIT_PIDFD = 3 }; /* P_PIDFD, which old headers lack */
enum { SEAL = 1, SEAL_SHRINK = 2, SEAL_GROW = 4, SEAL_FUTURE_WRITE = 16 };
enum { MEMFD_CLOEXEC = 1, MEMFD_ALLOW_SEALING = 2, MEMFD_EXEC = 16 };
enum { LOOK_MS = 50, FIRST_FILE = 16, PLACES = 64, TEXT_BYTES = 192 };
enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 4 << 20, SHARE_OF_FREE = 8 };
enum { ALONE_NS = 20000 }; /* includes about 6 microseconds for the messages */
enum { SERVER_SPEAKS = 1, SERVER_ENDED };
/* START_NS is long because an emulator may start slowly on a busy system. */
static const uint64_t LOOK_NS = 50000000, START_NS = UINT64_C(120000000000);
/* Addresses near which neither the kernel nor linkers place mappings. The last place ends at END_OF_REGIONS. */
static const uint64_t FIRST_PLACE = UINT64_C(0x200000000000), PLACE_STEP = UINT64_C(0x8000000000);

struct weft_remote {
    _Atomic uint32_t busy; /* a lock for launches; 1: a launch runs; 2: other threads wait */
    uint32_t generation;
    weft_hello hello;
    char **arguments; /* command line of the server; the first is its program */
    int code, data;   /* file descriptors of the memory files */
    /* socketpair and pipe2 write both numbers here before the files exist, so a fork at any time finds them. */
    int sockets[2]; /* the driver's end; the server's end, while it starts; -1: none */
    int life[2];    /* a pipe: the server's end, while it starts; the driver's end, whose closing ends the server */
    pid_t server;   /* used only if there is no pidfd */
    int process;    /* pidfd of the server; -1: not supported by the system */
    uint64_t sequence; /* random number that identifies the current launch */
    _Atomic uint64_t limit_ns; /* time limit of a launch; 0: none */
    _Atomic uint64_t code_version;
    size_t statics_bytes;
    size_t statics_used, data_used; /* no variable lies behind the first, no buffer behind the second */
    unsigned char *pristine; /* initial values of the variables of kernels */
    _Atomic uint64_t starts;
    weft_remote *others[MOST_OTHERS]; /* remotes whose buffers its kernels access */
    uint32_t other_count, others_mapped; /* others_mapped: number of others that the running server has mapped */
    bool is_spoiled; /* a server that may have changed the variables of kernels has ended */
    weft_lock lock;  /* guards the arenas, statics_used, data_used, the others, and `running` */
    const weft_command *running;
    _Atomic uint32_t interrupted; /* the wait for the running launch was interrupted: it must end */
    uintptr_t arenas;
    size_t local_bytes, context_bytes;
    weft_remote *next;
    unsigned char message[MOST_MESSAGE_BYTES]; /* of the current launch; the stack of a host thread may be smaller */
};

static _Atomic(weft_remote *) remotes;

static int memory_file(const char *name, uint64_t bytes, unsigned more) {
    struct rlimit most; /* a file that is larger would end the process by SIGXFSZ */
    if (getrlimit(RLIMIT_FSIZE, &most) || bytes > most.rlim_cur)
        return -1;
    int file = (int)syscall(SYS_memfd_create, name, MEMFD_CLOEXEC | MEMFD_ALLOW_SEALING | more);
    if (file < 0 && more) /* before Linux 6.3, which has no flag MEMFD_EXEC: all memory files are executable */
        file = (int)syscall(SYS_memfd_create, name, MEMFD_CLOEXEC | MEMFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    /* Move it above the descriptors that a server starts with. */
    int moved = fcntl(file, F_DUPFD_CLOEXEC, FIRST_FILE);
    close(file);
    if (moved >= 0 && ftruncate(moved, (off_t)bytes)) {
        close(moved);
        return -1;
    }
    return moved;
}

/* Reserves addresses that will be free in a server too; 0: there are none. */
static uint64_t reserve(uint64_t bytes) {
    uint64_t first = (uint64_t)getpid() % PLACES;
    for (uint64_t i = 0; i < PLACES; i++) {
        uint64_t at = FIRST_PLACE + (first + i) % PLACES * PLACE_STEP;
        if (bytes > END_OF_REGIONS - at)
            continue;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        void *found = mmap((void *)(uintptr_t)at, bytes, PROT_NONE, flags, -1, 0);
        if (found == (void *)(uintptr_t)at)
            return at;
        if (found != MAP_FAILED)
            munmap(found, bytes);
    }
    return 0;
}

static bool map_file(uint64_t at, uint64_t bytes, int file) {
    void *wanted = (void *)(uintptr_t)at;
    return mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == wanted;
}

/* Seals the files: the code file cannot be mapped for writing any more, and no file can change its size, which would
 * remove memory of this process. */
static bool seal(const weft_remote *remote) {
    int fixed = SEAL | SEAL_SHRINK | SEAL_GROW;
    return !fcntl(remote->data, F_ADD_SEALS, fixed) && !fcntl(remote->code, F_ADD_SEALS, fixed | SEAL_FUTURE_WRITE);
}

static bool make_region(weft_remote *remote, uint64_t code_bytes, uint64_t data_bytes) {
    weft_hello *hello = &remote->hello;
    /* The data begins at a huge page. */
    uint64_t before = (IMPORT_BYTES + code_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint64_t all = before + data_bytes, place = reserve(all);
    if (!place)
        return false;
    hello->data_at = place + before;
    hello->data_bytes = data_bytes;
    hello->code_bytes = code_bytes;
    hello->code_at = hello->data_at - code_bytes;
    hello->imports_at = hello->code_at - IMPORT_BYTES;
    if (map_file(hello->code_at, code_bytes, remote->code) && map_file(hello->data_at, data_bytes, remote->data)) {
        madvise((void *)(uintptr_t)hello->data_at, data_bytes, MADV_HUGEPAGE);
        return true;
    }
    munmap((void *)(uintptr_t)place, all);
    return false;
}

static void drop_arguments(char **arguments) {
    for (char **at = arguments; at && *at; at++)
        free(*at);
    free(arguments);
}

/* Returns a copy, or NULL if memory is exhausted. */
static char **copy_arguments(char *const *given) {
    size_t count = 0;
    while (given[count])
        count++;
    char **made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        if (!(made[i] = strdup(given[i]))) {
            drop_arguments(made);
            return NULL;
        }
    return made;
}

static void drop(weft_remote *remote) {
    if (remote->code >= 0)
        close(remote->code);
    if (remote->data >= 0)
        close(remote->data);
    if (remote->pristine != MAP_FAILED)
        munmap(remote->pristine, remote->statics_bytes);
    free(remote);
}

weft_remote *weft_remote_new(uint32_t threads, uint32_t imports_key, uint64_t code_bytes,
                             uint64_t statics_bytes, uint64_t data_bytes, uint64_t limit_ns) {
    weft_remote *remote = calloc(1, sizeof *remote);
    if (!remote)
        return NULL;
    remote->generation = weft_current_generation();
    remote->hello = (weft_hello){.kind = MESSAGE_HELLO, .version = WEFT_PROTOCOL, .imports_key = imports_key, .threads = threads};
    remote->code = memory_file("weft-code", code_bytes, MEMFD_EXEC);
    remote->data = memory_file("weft-data", data_bytes, 0);
    remote->statics_bytes = statics_bytes;
    remote->pristine = mmap(NULL, statics_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    remote->sockets[0] = remote->sockets[1] = remote->life[0] = remote->life[1] = remote->process = -1;
    remote->data_used = statics_bytes;
    atomic_init(&remote->limit_ns, limit_ns);
    if (!threads || threads > MOST_SERVER_THREADS || remote->code < 0 || remote->data < 0 ||
        remote->pristine == MAP_FAILED || !make_region(remote, code_bytes, data_bytes) || !seal(remote)) {
        drop(remote);
        return NULL;
    }
    remote->next = atomic_load(&remotes);
    while (!atomic_compare_exchange_weak(&remotes, &remote->next, remote))
        ;
    return remote;
}

int weft_remote_command(weft_remote *remote, char *const *arguments) {
    remote->arguments = copy_arguments(arguments);
    return remote->arguments != NULL;
}

void weft_remote_places(const weft_remote *remote, uint64_t *places) {
    places[0] = remote->hello.imports_at;
    places[1] = remote->hello.code_at;
    places[2] = remote->hello.data_at;
    places[3] = (uint64_t)(uintptr_t)remote->pristine;
}

void weft_remote_statics(weft_remote *remote, size_t used) {
    weft_lock_acquire(&remote->lock);
    if (used <= remote->statics_bytes)
        remote->statics_used = used;
    weft_lock_release(&remote->lock);
}

void weft_remote_replaced(weft_remote *remote) {
    atomic_fetch_add(&remote->code_version, 1);
}

/* Makes the system back a large block by huge pages at once; later it would have to copy its contents. Shared memory
 * gets huge pages at the first access only if the administrator allows it. A block that is large compared to free
 * memory may never be used completely, so its pages are left to be allocated on demand. */
static void use_huge_pages(uintptr_t address, size_t bytes) {
    uintptr_t first = (address + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, last = (address + bytes) / HUGE_PAGE * HUGE_PAGE;
    struct sysinfo system;
    if (bytes < HUGE_FROM || sysinfo(&system) || bytes > (uint64_t)system.freeram * system.mem_unit / SHARE_OF_FREE)
        return;
    /* MADV_COLLAPSE works only for ranges that this process has accessed. */
    for (uintptr_t piece = first; piece < last; piece += HUGE_PAGE)
        (void)*(volatile unsigned char *)piece;
    madvise((void *)first, last - first, MADV_COLLAPSE); /* fails before Linux 6.1 */
}

void weft_remote_allocated(weft_remote *remote, uintptr_t address, size_t bytes) {
    uint64_t used = address + bytes - remote->hello.data_at;
    weft_lock_acquire(&remote->lock);
    if (used > remote->data_used && used <= remote->hello.data_bytes)
        remote->data_used = used;
    weft_lock_release(&remote->lock);
    use_huge_pages(address, bytes);
}

int weft_remote_share(weft_remote *remote, weft_remote *other) {
    uint32_t i = 0;
    weft_lock_acquire(&remote->lock);
    while (i < remote->other_count && remote->others[i] != other)
        i++;
    if (i == remote->other_count && i < MOST_OTHERS)
        remote->others[remote->other_count++] = other;
    weft_lock_release(&remote->lock);
    return i < MOST_OTHERS;
}

void weft_remote_limit(weft_remote *remote, uint64_t limit_ns) {
    atomic_store(&remote->limit_ns, limit_ns);
}

uint64_t weft_remote_starts(const weft_remote *remote) {
    return atomic_load(&remote->starts);
}

void weft_remote_arenas(weft_remote *remote, uintptr_t address, size_t local_bytes, size_t context_bytes) {
    weft_lock_acquire(&remote->lock);
    remote->arenas = address;
    remote->local_bytes = local_bytes;
    remote->context_bytes = context_bytes;
    weft_lock_release(&remote->lock);
}

/* Returns the pages of freed memory to the system. */
void weft_remote_discard(uintptr_t address, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (address + page - 1) / page * page, last = (address + bytes) / page * page;
    if (first < last)
        madvise((void *)first, last - first, MADV_REMOVE);
}

void weft_pool_use(weft_pool *pool, weft_remote *remote) {
    pool->remote = remote;
    /* Its threads wait for another process, which needs the processor that a spinning thread would occupy. */
    pool->spin = 0;
}

/* ---- the server process -------------------------------------------------------------------------------------- */

static void close_file(int *file) {
    int number = *file;
    *file = -1; /* before the close: afterwards the number may be reused, and a fork may find it here */
    if (number >= 0)
        close(number);
}

/* Waits for the end of the server. Returns its status as from waitpid, or -1 if the program waits for all its children
 * and has reaped the server first. */
static int wait_for_server(const weft_remote *remote) {
    siginfo_t info = {0};
    int status = -1, found;
    if (remote->process >= 0) {
        while ((found = waitid((idtype_t)WAIT_PIDFD, (id_t)remote->process, &info, WEXITED)) < 0 && errno == EINTR)
            ;
        if (!found)
            return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
        if (errno != EINVAL) /* Linux 5.3 has pidfds, but no waitid for them */
            return -1;
    }
    while ((found = waitpid(remote->server, &status, 0)) < 0 && errno == EINTR)
        ;
    return found < 0 ? -1 : status;
}

/* Returns pages to the system that the ended server has touched in parts of a region where nothing was ever
 * allocated. */
static void discard_unused(weft_remote *remote) {
    uintptr_t data = (uintptr_t)remote->hello.data_at;
    weft_lock_acquire(&remote->lock);
    weft_remote_discard(data + remote->statics_used, remote->statics_bytes - remote->statics_used);
    weft_remote_discard(data + remote->data_used, (size_t)remote->hello.data_bytes - remote->data_used);
    weft_lock_release(&remote->lock);
}

/* Ends the server, if there is one. Returns its status as from waitpid, or -1. */
static int stop_server(weft_remote *remote) {
    if (remote->sockets[0] < 0)
        return -1;
    if (remote->process >= 0)
        syscall(SYS_pidfd_send_signal, remote->process, SIGKILL, NULL, 0);
    else
        kill(remote->server, SIGKILL);
    int status = wait_for_server(remote);
    close_file(&remote->process);
    close_file(&remote->life[1]);
    close_file(&remote->sockets[0]);
    remote->is_spoiled = true;
    discard_unused(remote);
    for (uint32_t i = 0; i < remote->others_mapped; i++)
        discard_unused(remote->others[i]);
    return status;
}

/* The first number from `number` on that is not a descriptor of a file for the server. */
static int unused_number(const weft_remote *remote, int number) {
    for (;; number++) {
        bool used = number == remote->code || number == remote->data || number == remote->sockets[1] ||
                    number == remote->life[0];
        for (uint32_t i = 0; i < remote->others_mapped; i++)
            used = used || number == remote->others[i]->data;
        if (!used)
            return number;
    }
}

/* Starts the server process. Returns 0 or an errno. */
static int spawn(weft_remote *remote) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char *const variables[] = {NULL};
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&files))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int socket = unused_number(remote, FIRST_FILE), life = unused_number(remote, socket + 1);
    bool set = !posix_spawn_file_actions_adddup2(&files, remote->sockets[1], socket) &&
               !posix_spawn_file_actions_adddup2(&files, remote->life[0], life);
    for (int i = 0; i < 3; i++)
        set = set && !posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
    set = set && !posix_spawn_file_actions_adddup2(&files, socket, SERVER_SOCKET) &&
          !posix_spawn_file_actions_adddup2(&files, remote->code, SERVER_CODE) &&
          !posix_spawn_file_actions_adddup2(&files, remote->data, SERVER_DATA) &&
          !posix_spawn_file_actions_adddup2(&files, life, SERVER_LIFE);
    for (uint32_t i = 0; i < remote->others_mapped; i++)
        set = set && !posix_spawn_file_actions_adddup2(&files, remote->others[i]->data, SERVER_OTHERS + (int)i);
    set = set &&
          /* In its own process group, so that Ctrl-C in a terminal only interrupts the program. */
          !posix_spawnattr_setpgroup(&attributes, 0) && !posix_spawnattr_setsigmask(&attributes, &none) &&
          !posix_spawnattr_setsigdefault(&attributes, &all) &&
          !posix_spawnattr_setflags(&attributes,
                                    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = set ? posix_spawn(&remote->server, remote->arguments[0], &files, &attributes, remote->arguments, variables)
                    : ENOMEM;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Waits up to `milliseconds` until the server has sent something or ended: SERVER_SPEAKS, SERVER_ENDED, or 0. */
static int watch(const weft_remote *remote, int milliseconds) {
    struct pollfd files[2] = {{.fd = remote->sockets[0], .events = POLLIN}, {.fd = remote->process, .events = POLLIN}};
    int found = poll(files, 2, milliseconds);
    return found <= 0 ? 0 : files[1].revents ? SERVER_ENDED : SERVER_SPEAKS;
}

/* Waits for a packet, at most LOOK_MS and at most until `until`. Returns its length; 0 if the server has ended; -1 if
 * there is none yet. */
static ssize_t receive(const weft_remote *remote, void *into, size_t room, uint64_t until) {
    uint64_t now = weft_now();
    int found = watch(remote, until <= now ? 0 : until - now < LOOK_NS ? (int)((until - now) / 1000000 + 1) : LOOK_MS);
    if (!found)
        return -1;
    /* The server may have sent its last message just before it ended. */
    ssize_t length = recv(remote->sockets[0], into, room, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0)
        return found != SERVER_ENDED && (errno == EAGAIN || errno == EINTR) ? -1 : 0;
    return length;
}

/* Restores the variables of kernels after a server has ended, so that a faulty kernel does not affect later ones. */
static void restore_statics(weft_remote *remote) {
    weft_lock_acquire(&remote->lock);
    memcpy((void *)(uintptr_t)remote->hello.data_at, remote->pristine, remote->statics_used);
    weft_lock_release(&remote->lock);
}

/* Makes the next server map the buffers of all current others. */
static void choose_others(weft_remote *remote) {
    weft_lock_acquire(&remote->lock);
    remote->hello.others = remote->others_mapped = remote->other_count;
    weft_lock_release(&remote->lock);
    for (uint32_t i = 0; i < remote->others_mapped; i++) {
        const weft_remote *other = remote->others[i];
        remote->hello.other[i].offset = other->statics_bytes;
        remote->hello.other[i].at = other->hello.data_at + other->statics_bytes;
        remote->hello.other[i].bytes = other->hello.data_bytes - other->statics_bytes;
    }
}

/* True if a signal handler of the program has raised an exception, which ends the wait and the launch. */
static bool is_interrupted(weft_thread *self, uint32_t *seen) {
    if (!self->interruptible || weft_interrupts() == *seen)
        return false;
    *seen = weft_interrupts();
    if (!weft_check_interrupts())
        return false;
    atomic_store(&self->interrupted, 1);
    return true;
}

/* Describes why a server has ended without a message. `status` is as from waitpid, or -1. */
static const char *describe_end(int status, char *text, size_t room) {
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        snprintf(text, room, "a system call that kernels may not make");
    else if (status != -1 && WIFSIGNALED(status))
        snprintf(text, room, "its process was ended by signal %d", WTERMSIG(status));
    else if (status != -1 && WIFEXITED(status))
        snprintf(text, room, "its process exited with status %d", WEXITSTATUS(status));
    else
        snprintf(text, room, "its process ended");
    return text;
}

static void tell_no_server(const weft_command *command, const char *why) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "no process could be started for it: %s", why);
    weft_tell_failure(command, text);
}

/* Creates a server process; reports an error to the user if that fails. */
static bool open_server(weft_remote *remote, const weft_command *command) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, remote->sockets)) {
        remote->sockets[0] = remote->sockets[1] = -1;
        tell_no_server(command, strerror(errno));
        return false;
    }
    int error = pipe2(remote->life, O_CLOEXEC) ? errno : spawn(remote);
    close_file(&remote->sockets[1]);
    close_file(&remote->life[0]);
    if (error) {
        close_file(&remote->sockets[0]);
        close_file(&remote->life[1]);
        tell_no_server(command, strerror(error));
        return false;
    }
    remote->process = (int)syscall(SYS_pidfd_open, remote->server, 0);
    atomic_fetch_add(&remote->starts, 1);
    return true;
}

/* Starts a server for a command; whether it is ready. Errors are reported to the user, unless the wait was
 * interrupted. */
static bool start_server(weft_remote *remote, const weft_command *command, weft_thread *self, uint32_t *seen) {
    weft_reply reply;
    char text[TEXT_BYTES];
    if (remote->is_spoiled)
        restore_statics(remote);
    remote->is_spoiled = false;
    choose_others(remote);
    if (!open_server(remote, command))
        return false;
    uint64_t until = weft_now() + START_NS;
    ssize_t length = 0;
    bool ends = false;
    if (send(remote->sockets[0], &remote->hello, sizeof remote->hello, MSG_NOSIGNAL) == sizeof remote->hello)
        do {
            length = receive(remote, &reply, sizeof reply, until);
            ends = weft_is_stopping() || atomic_load(&remote->interrupted) || is_interrupted(self, seen);
        } while (length < 0 && weft_now() < until && !ends);
    if (length == sizeof reply && reply.kind == MESSAGE_READY && !ends)
        return true;
    int status = stop_server(remote);
    if (!ends)
        tell_no_server(command, length < 0    ? "it takes too long to start"
                                : length == 0 ? describe_end(status, text, sizeof text)
                                              : "it sent what is no message");
    return false;
}

/* ---- launches ------------------------------------------------------------------------------------------------ */

/* Acquires `busy`; false if the wait was interrupted. */
static bool enter(weft_remote *remote, weft_thread *self, uint32_t *seen) {
    uint32_t open = 0;
    if (atomic_compare_exchange_strong(&remote->busy, &open, 1))
        return true;
    while (atomic_exchange(&remote->busy, 2)) {
        weft_futex_wait(&remote->busy, 2, LOOK_NS);
        if (weft_is_stopping() || is_interrupted(self, seen))
            return false;
    }
    return true;
}

static void leave(weft_remote *remote) {
    if (atomic_exchange(&remote->busy, 0) == 2)
        weft_futex_wake(&remote->busy, 1);
}

/* Whether a launch is expected to end before a second thread would be awake. */
static bool is_short(const weft_command *command) {
    double item_ns = weft_item_ns(command->function);
    return item_ns > 0 && item_ns * weft_items(&command->launch) * (double)command->units < ALONE_NS;
}

/* Sends a launch to the server; false if that fails. Only one launch is in flight at a time, so the socket has room for
 * it. */
static bool send_launch(weft_remote *remote, const weft_command *command) {
    /* A random number, so that a kernel cannot forge replies to later launches. */
    if (syscall(SYS_getrandom, &remote->sequence, sizeof remote->sequence, 0) != sizeof remote->sequence)
        return false;
    weft_run run = {.kind = MESSAGE_LAUNCH, .args_bytes = (uint32_t)command->args_bytes, .sequence = remote->sequence};
    run.function = command->function;
    run.threads = is_short(command) ? 1 : remote->hello.threads;
    run.code_version = atomic_load(&remote->code_version);
    run.launch = command->launch;
    weft_lock_acquire(&remote->lock);
    run.arenas = remote->arenas;
    run.local_bytes = remote->local_bytes;
    run.context_bytes = remote->context_bytes;
    weft_lock_release(&remote->lock);
    if (command->args_bytes > MOST_ARGS_BYTES || command->local_bytes > run.local_bytes ||
        command->context_bytes > run.context_bytes)
        return false;
    struct iovec parts[2] = {{&run, sizeof run}, {command->args, command->args_bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(remote->sockets[0], &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)(sizeof run + command->args_bytes);
}

typedef enum outcome { WAITING, DONE, ENDED, FAULTED, MALFORMED } outcome;

static outcome take_message(weft_remote *remote, const unsigned char *message, size_t length, weft_reply *reply) {
    uint32_t kind;
    if (length < sizeof kind || length > MOST_MESSAGE_BYTES)
        return MALFORMED;
    memcpy(&kind, message, sizeof kind);
    if (kind == MESSAGE_OUTPUT) {
        weft_output head;
        if (length < sizeof head)
            return MALFORMED;
        memcpy(&head, message, sizeof head);
        if (head.length > MOST_OUTPUT_BYTES || length != sizeof head + head.length)
            return MALFORMED;
        weft_thread *self = weft_guard();
        weft_print((const char *)message + sizeof head, head.length);
        weft_unguard(self);
        return WAITING;
    }
    if (length != sizeof *reply)
        return MALFORMED;
    memcpy(reply, message, sizeof *reply);
    if (reply->sequence != remote->sequence)
        return MALFORMED;
    return kind == MESSAGE_DONE ? DONE : kind == MESSAGE_FAULT ? FAULTED : MALFORMED;
}

/* Waits for the end of the launch; whether it ran. If not, the server has been stopped, and the error reported to the
 * user unless the wait was interrupted. */
static bool await_end(weft_remote *remote, weft_command *command, weft_thread *self, uint32_t *seen) {
    unsigned char *message = remote->message;
    uint64_t limit = atomic_load(&remote->limit_ns), until = limit ? weft_now() + limit : UINT64_MAX;
    weft_reply reply;
    char text[TEXT_BYTES];
    for (;;) {
        ssize_t length = receive(remote, message, sizeof remote->message, until);
        outcome found = length < 0 ? WAITING : length == 0 ? ENDED : take_message(remote, message, (size_t)length, &reply);
        if (found == DONE)
            return true;
        if (found != WAITING) {
            int status = stop_server(remote);
            if (weft_is_stopping())
                return false;
            if (found == FAULTED)
                weft_tell_fault(command, reply.group, (int)reply.signal, reply.address);
            else if (found == ENDED)
                weft_tell_failure(command, describe_end(status, text, sizeof text));
            else
                weft_tell_failure(command, "its process sent what is no message");
            return false;
        }
        bool late = weft_now() >= until;
        if (late || weft_is_stopping() || atomic_load(&remote->interrupted) || is_interrupted(self, seen)) {
            stop_server(remote);
            if (late)
                weft_tell_failure(command, "it ran longer than WEFT_ISOLATED_SECONDS allows");
            return false;
        }
    }
}

static void set_running(weft_remote *remote, const weft_command *command) {
    weft_lock_acquire(&remote->lock);
    remote->running = command;
    atomic_store(&remote->interrupted, 0);
    weft_lock_release(&remote->lock);
}

/* Called when a wait for `target` has been interrupted: ends the running launch if it is the target, or an earlier
 * command of the same queue. */
void weft_remote_interrupt(weft_remote *remote, const weft_command *target) {
    weft_lock_acquire(&remote->lock);
    const weft_command *running = remote->running;
    if (running && (running == target || (running->queue == target->queue && running->sequence <= target->sequence)))
        atomic_store(&remote->interrupted, 1);
    weft_lock_release(&remote->lock);
}

/* Whether the server was started before the latest weft_remote_share, and so lacks a region. */
static bool lacks_others(weft_remote *remote) {
    weft_lock_acquire(&remote->lock);
    bool lacks = remote->others_mapped != remote->other_count;
    weft_lock_release(&remote->lock);
    return lacks;
}

void weft_remote_run(weft_remote *remote, weft_command *command, weft_thread *self) {
    uint32_t seen = weft_interrupts();
    bool done = false;
    char text[TEXT_BYTES];
    if (remote->generation != weft_current_generation()) {
        weft_tell_failure(command, "the device runs no kernels in the child of a fork");
    } else if (enter(remote, self, &seen)) {
        set_running(remote, command);
        atomic_store_explicit(&self->running, command, memory_order_relaxed);
        /* An idle server must not send anything. If it does, or has ended, a new one is started. */
        if (remote->sockets[0] >= 0 && watch(remote, 0))
            stop_server(remote);
        if (remote->sockets[0] >= 0 && lacks_others(remote)) {
            stop_server(remote);
            remote->is_spoiled = false;
        }
        if (!remote->arguments)
            tell_no_server(command, "it has no program");
        else if (remote->sockets[0] >= 0 || start_server(remote, command, self, &seen)) {
            if (send_launch(remote, command))
                done = await_end(remote, command, self, &seen);
            else
                weft_tell_failure(command, describe_end(stop_server(remote), text, sizeof text));
        }
        atomic_store_explicit(&self->running, NULL, memory_order_relaxed);
        set_running(remote, NULL);
        leave(remote);
    }
    if (!done)
        atomic_store(&command->error, OUT_OF_RESOURCES);
}

/* Replaces a shared mapping of a file by a private copy-on-write mapping, and closes the file. */
static void keep_private(uint64_t at, uint64_t bytes, int *file) {
    int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    /* If that fails, accesses must fault rather than reach the memory of another process. */
    if (*file >= 0 && mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, flags, *file, 0) == MAP_FAILED)
        mmap((void *)(uintptr_t)at, bytes, PROT_NONE, flags | MAP_ANONYMOUS, -1, 0);
    close_file(file);
}

/* In the child of a fork: the servers and the memory shared with them belong to the parent. The child gets a private
 * copy of the memory, so that neither the parent nor its servers see what it writes. */
void weft_remotes_reset(void) {
    for (weft_remote *remote = atomic_load(&remotes); remote; remote = remote->next) {
        keep_private(remote->hello.code_at, remote->hello.code_bytes, &remote->code);
        keep_private(remote->hello.data_at, remote->hello.data_bytes, &remote->data);
        close_file(&remote->sockets[0]);
        close_file(&remote->sockets[1]);
        close_file(&remote->life[0]);
        close_file(&remote->life[1]);
        close_file(&remote->process);
        atomic_store(&remote->busy, 0);
        atomic_store(&remote->lock.state, 0);
    }
}
