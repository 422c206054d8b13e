/* Builders: processes that build SPIR-V programs and compile their kernels for threads that must not wait for the GIL
 * (weft/api/build_elsewhere.py).
 *
 * A builder is the same Python interpreter with the same module path. It is not a child of this process, because a
 * client may wait for all its children. After a request it is kept for the next one. It ends by itself after an idle
 * period, or when this process has ended.
 *
 * A builder writes machine code to memory from which this process executes it: both map a file in memory at the same
 * addresses, this process with execute permission and the builder with write permission. The builder can therefore also
 * patch the entry of baseline code. If code in the mapping was launched, the mapping stays when the builder has
 * ended. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 8, MOST_IDLE = 4, CODE_FILE = 3 };
enum { TABLE_BYTES = 4096 };
#define CODE_BYTES ((uint64_t)256 << 20)
#define DATA_BYTES ((uint64_t)64 << 20)
#define REGION_BYTES (TABLE_BYTES + CODE_BYTES + DATA_BYTES)
/* Candidate addresses for the mapping; they are normally unused in a new process too. */
#define FIRST_PLACE ((uint64_t)0x300000000000)
#define PLACE_STEP ((uint64_t)1 << 30)
enum { PLACES = 4096 };

static char *command_words[MOST_WORDS + 1], *module_path; /* set once, before the first call that reads them */

static uint64_t imports[TABLE_BYTES / sizeof(uint64_t)];

int weft_hot_set_builder(const char *const *words, uint32_t count, const char *path, const uint64_t *addresses,
                         uint32_t address_count) {
    if (count > MOST_WORDS || command_words[0] || address_count * sizeof *imports > sizeof imports)
        return -1;
    memcpy(imports, addresses, address_count * sizeof *imports);
    for (uint32_t i = 0; i < count; i++)
        if (!(command_words[i] = strdup(words[i])))
            return -1;
    module_path = strdup(path);
    return module_path ? 0 : -1;
}

/* The environment of this process with the module path in front: of two definitions of a variable, the first one is
 * used. */
static char **make_environment(void) {
    size_t count = 0;
    while (environ && environ[count])
        count++;
    char **made = malloc((count + 2) * sizeof *made);
    if (made) {
        made[0] = module_path;
        memcpy(made + 1, environ, count * sizeof *made);
        made[count + 1] = NULL;
    }
    return made;
}

/* Moves a descriptor above those that the builder starts with. */
static int move_up(int descriptor) {
    if (descriptor < 0 || descriptor > CODE_FILE)
        return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, CODE_FILE + 1);
    close(descriptor);
    return moved;
}

static pid_t start_process(int link, int code) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t process = -1;
    char **variables = make_environment();
    if (!variables || posix_spawn_file_actions_init(&actions)) {
        free(variables);
        return -1;
    }
    if (!posix_spawnattr_init(&attributes)) {
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        if (posix_spawn_file_actions_adddup2(&actions, link, 0) || posix_spawn_file_actions_adddup2(&actions, link, 1) ||
            posix_spawn_file_actions_adddup2(&actions, code, CODE_FILE) ||
            posix_spawn(&process, command_words[0], &actions, &attributes, command_words, variables))
            process = -1;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(variables);
    return process;
}

/* Creates the file in memory and maps it: the table and code read-only and executable, data writable. -1: failed. */
static int make_code_file(weft_hot_region *made) {
    enum { CLOSE_ON_EXEC = 1, EXECUTABLE = 16 };
    struct rlimit most; /* a file that is larger would end the process by SIGXFSZ */
    if (getrlimit(RLIMIT_FSIZE, &most) || REGION_BYTES > most.rlim_cur)
        return -1;
    int file = (int)syscall(SYS_memfd_create, "weft-code", CLOSE_ON_EXEC | EXECUTABLE);
    if (file < 0) /* before Linux 6.3, which has no flag EXECUTABLE: all memory files are executable */
        file = (int)syscall(SYS_memfd_create, "weft-code", CLOSE_ON_EXEC);
    file = move_up(file);
    uint64_t at = 0;
    if (file >= 0 && !ftruncate(file, (off_t)REGION_BYTES) && pwrite(file, imports, sizeof imports, 0) == sizeof imports)
        for (uint64_t i = 0, first = (uint64_t)getpid(); i < PLACES && !at; i++) {
            uint64_t place = FIRST_PLACE + (first + i) % PLACES * PLACE_STEP;
            void *found = mmap((void *)(uintptr_t)place, REGION_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
            if (found == (void *)(uintptr_t)place)
                at = place;
            else if (found != MAP_FAILED) /* before Linux 4.17, MAP_FIXED_NOREPLACE is ignored and the address is a hint */
                munmap(found, REGION_BYTES);
            else if (errno != EEXIST)
                break;
        }
    if (at && mprotect((void *)(uintptr_t)(at + TABLE_BYTES + CODE_BYTES), DATA_BYTES, PROT_READ | PROT_WRITE)) {
        munmap((void *)(uintptr_t)at, REGION_BYTES);
        at = 0;
    }
    if (at) {
        *made = (weft_hot_region){.magic = WEFT_HOT_MAGIC, .at = at, .table_bytes = TABLE_BYTES, .code_bytes = CODE_BYTES,
                                  .data_bytes = DATA_BYTES};
    } else if (file >= 0) {
        close(file);
        file = -1;
    }
    return file;
}

int weft_hot_map_region(const weft_hot_region *region) {
    size_t all = region->table_bytes + region->code_bytes + region->data_bytes;
    void *wanted = (void *)(uintptr_t)region->at;
    void *found = mmap(wanted, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, CODE_FILE, 0);
    if (found != wanted && found != MAP_FAILED)
        munmap(found, all);
    close(CODE_FILE);
    return found == wanted ? 0 : -1;
}

static hot_builder idle[MOST_IDLE]; /* idle builders, most recently used last; guarded by hot_lock */
static uint32_t idle_count;

/* Whether the descriptor still refers to the socket: a client may close all descriptors. */
static bool is_open(const hot_builder *found) {
    struct stat now;
    return !fstat(found->link, &now) && now.st_dev == found->device && now.st_ino == found->number;
}

void hot_drop_builder(const hot_builder *dropped) {
    if (is_open(dropped))
        close(dropped->link);
    if (!dropped->has_code)
        munmap((void *)dropped->region, REGION_BYTES);
}

void hot_forget_builders(void) {
    while (idle_count)
        hot_drop_builder(&idle[--idle_count]);
}

static bool take_idle(hot_builder *taken) {
    pthread_mutex_lock(&hot_lock);
    bool found = false;
    while (!found && idle_count) {
        *taken = idle[--idle_count];
        found = is_open(taken);
        if (!found)
            hot_drop_builder(taken);
    }
    pthread_mutex_unlock(&hot_lock);
    return found;
}

void hot_keep_builder(const hot_builder *kept) {
    pthread_mutex_lock(&hot_lock);
    bool has_room = idle_count < MOST_IDLE;
    if (has_room)
        idle[idle_count++] = *kept;
    pthread_mutex_unlock(&hot_lock);
    if (!has_room)
        hot_drop_builder(kept);
}

static bool start(hot_builder *started) {
    int pair[2], status = 0;
    struct stat now;
    weft_hot_region region = {0};
    int file = make_code_file(&region);
    if (file < 0)
        return false;
    int own = -1, other = -1;
    if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        own = move_up(pair[0]);
        other = move_up(pair[1]);
    }
    pid_t process = own >= 0 && other >= 0 ? start_process(other, file) : -1, ended = 0;
    close(file);
    if (other >= 0)
        close(other);
    /* The process starts the builder and ends at once. waitpid fails if the client reaps all children and got this
     * one. */
    while (process > 0 && (ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
    }
    bool has_started = process > 0 && (ended < 0 || !status) && !fstat(own, &now) &&
                       send(own, &region, sizeof region, MSG_NOSIGNAL) == sizeof region;
    if (has_started) {
        *started = (hot_builder){.link = own, .device = now.st_dev, .number = now.st_ino, .region = region.at};
        return true;
    }
    munmap((void *)(uintptr_t)region.at, REGION_BYTES);
    if (own >= 0)
        close(own);
    return false;
}

bool hot_take_builder(hot_builder *taken, bool *is_new) {
    *is_new = !take_idle(taken);
    return !*is_new || (module_path && start(taken));
}
