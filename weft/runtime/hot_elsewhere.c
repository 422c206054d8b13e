/* Building a program in another process, for a thread that must not wait for Python's lock (weft/api/build_elsewhere.py).
 *
 * The process is this Python, with what finds the same modules. It gets the program through a socket, as a head and the
 * parts that it counts, and sends back what hot.h describes; both ends are of the same files of Weft, so structures are sent
 * as they are. It also leaves the program in Weft's cache. No lock is held while it works. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 8 };
static char *builder[MOST_WORDS + 1], *module_path; /* set once, before there are calls */

int weft_hot_set_builder(const char *const *words, uint32_t count, const char *path) {
    if (count > MOST_WORDS || builder[0])
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (!(builder[i] = strdup(words[i])))
            return -1;
    module_path = strdup(path);
    return module_path ? 0 : -1;
}

/* The variables of the program, with the path of modules first: the first of two counts. */
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

/* Not one of the three that the other process starts with. */
static int move_up(int descriptor) {
    if (descriptor < 0 || descriptor > 2)
        return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return moved;
}

static pid_t start_process(int link) {
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
            posix_spawn(&process, builder[0], &actions, &attributes, builder, variables))
            process = -1;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(variables);
    return process;
}

static bool send_all(int link, const void *bytes, size_t size) {
    for (const char *at = bytes, *end = at + size; at < end;) {
        ssize_t sent = send(link, at, (size_t)(end - at), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
    }
    return true;
}

static bool receive_all(int link, void *bytes, size_t size) {
    for (char *at = bytes, *end = at + size; at < end;) {
        ssize_t received = recv(link, at, (size_t)(end - at), 0);
        if (!received || (received < 0 && errno != EINTR))
            return false;
        at += received > 0 ? received : 0;
    }
    return true;
}

static bool send_request(int link, uintptr_t handle, const weft_hot_program *program,
                         const weft_hot_device_limit *devices, uint32_t device_count, const char *options) {
    weft_hot_request head = {.magic = WEFT_HOT_MAGIC, .program = handle, .context = program->context,
                             .device_count = device_count, .constant_count = program->constant_count,
                             .option_bytes = strlen(options), .il_bytes = program->il_bytes};
    return send_all(link, &head, sizeof head) && send_all(link, devices, device_count * sizeof *devices) &&
           send_all(link, program->constants, program->constant_count * sizeof *program->constants) &&
           send_all(link, options, head.option_bytes) && send_all(link, program->il, program->il_bytes) &&
           !shutdown(link, SHUT_WR);
}

/* Moves over `size` bytes and what fills them up to words; NULL: there are not so many. */
static const unsigned char *pass(const unsigned char **at, const unsigned char *end, uint64_t size) {
    const unsigned char *passed = *at;
    if (size > (uint64_t)(end - passed) || (size + 7) / 8 * 8 > (uint64_t)(end - passed))
        return NULL;
    *at += (size + 7) / 8 * 8;
    return passed;
}

static bool are_inside(const weft_hot_result *results, uint32_t count, uint64_t bytes) {
    for (uint32_t i = 0; i < count; i++)
        if (results[i].offset > bytes || results[i].size > bytes - results[i].offset)
            return false;
    return true;
}

const unsigned char *hot_read_kernel(const unsigned char *at, const unsigned char *end, hot_built_kernel *found) {
    found->head = (const weft_hot_built_kernel *)pass(&at, end, sizeof *found->head);
    if (!found->head)
        return NULL;
    const weft_hot_kernel *kernel = &found->head->kernel;
    found->name = (const char *)pass(&at, end, found->head->name_bytes);
    found->arguments = (const weft_hot_argument *)pass(&at, end, kernel->argument_count * sizeof *found->arguments);
    found->results = (const weft_hot_result *)pass(&at, end, found->head->result_count * sizeof *found->results);
    found->values = pass(&at, end, found->head->value_bytes);
    if (!found->name || !found->arguments || !found->results || !found->values ||
        !are_inside(found->results, found->head->result_count, found->head->value_bytes))
        return NULL;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const weft_hot_argument *argument = &found->arguments[i];
        bool is_pointer = argument->kind == WEFT_HOT_MEMORY || argument->kind == WEFT_HOT_LOCAL;
        uint64_t size = is_pointer ? sizeof(uint64_t) : argument->size;
        if (argument->slot > kernel->block_bytes || size > kernel->block_bytes - argument->slot)
            return NULL;
    }
    return at;
}

const unsigned char *hot_read_built(const weft_hot_built *built, const weft_hot_result **results,
                                    const unsigned char **values) {
    const unsigned char *at = (const unsigned char *)(built + 1), *end = (const unsigned char *)built + built->bytes;
    *results = (const weft_hot_result *)pass(&at, end, built->result_count * sizeof **results);
    *values = *results ? pass(&at, end, built->value_bytes) : NULL;
    return *values && are_inside(*results, built->result_count, built->value_bytes) ? at : NULL;
}

static bool is_whole(const weft_hot_built *built) {
    const weft_hot_result *results;
    const unsigned char *values, *at = hot_read_built(built, &results, &values);
    hot_built_kernel kernel;
    for (uint32_t i = 0; at && i < built->kernel_count; i++)
        at = hot_read_kernel(at, (const unsigned char *)built + built->bytes, &kernel);
    return at != NULL;
}

static weft_hot_built *receive_reply(int link) {
    weft_hot_built head;
    if (!receive_all(link, &head, sizeof head) || head.magic != WEFT_HOT_MAGIC || head.bytes < sizeof head)
        return NULL;
    weft_hot_built *built = malloc(head.bytes);
    if (!built)
        return NULL;
    *built = head;
    if (!receive_all(link, built + 1, head.bytes - sizeof head) || !is_whole(built)) {
        free(built);
        return NULL;
    }
    return built;
}

weft_hot_built *hot_build_elsewhere(uintptr_t handle, const weft_hot_program *program, const char *options) {
    weft_hot_built *built = NULL;
    uint32_t device_count;
    int pair[2];
    weft_hot_device_limit *devices = module_path ? hot_copy_devices(program->context, &device_count) : NULL;
    if (devices && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        int own = move_up(pair[0]), other = move_up(pair[1]);
        pid_t process = own >= 0 && other >= 0 ? start_process(other) : -1;
        if (other >= 0)
            close(other);
        if (process > 0 && send_request(own, handle, program, devices, device_count, options))
            built = receive_reply(own);
        if (own >= 0)
            close(own);
        /* It ends at once; or the program has its own way to wait for children, and waited for this one too. */
        while (process > 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(devices);
    return built;
}
