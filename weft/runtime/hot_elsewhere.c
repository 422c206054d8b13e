/* Requests to builder processes, for threads that must not wait for the GIL: building a program, and preparing a launch
 * of one of its kernels (weft/api/build_elsewhere.py).
 *
 * A request is sent through a socket as a head, which contains the sizes of the parts, followed by the parts. The
 * formats are in hot.h. Both ends run the same files of Weft, so structures are sent as they are in memory. The builder
 * also stores the program and its code in Weft's cache. No lock is held while a thread waits for a builder. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

/* Sends a request to build a program, and, if `launch` is not NULL, to prepare a launch of one of its kernels. */
static bool send_request(int link, uintptr_t handle, const weft_hot_program *program,
                         const weft_hot_device_limit *devices, uint32_t device_count, const char *options,
                         const weft_hot_launch *launch) {
    weft_hot_request head = {.magic = WEFT_HOT_MAGIC, .is_launch = launch != NULL, .program = handle, .context = program->context,
                             .device_count = device_count, .constant_count = program->constant_count,
                             .option_bytes = strlen(options), .il_bytes = program->il_bytes};
    return send_all(link, &head, sizeof head) && send_all(link, devices, device_count * sizeof *devices) &&
           send_all(link, program->constants, program->constant_count * sizeof *program->constants) &&
           send_all(link, options, head.option_bytes) && send_all(link, program->il, program->il_bytes) &&
           (!launch || (send_all(link, launch, sizeof *launch) &&
                        send_all(link, (const void *)launch->name, launch->name_bytes) &&
                        send_all(link, (const void *)launch->block, launch->block_bytes)));
}

/* Returns `*at` and advances it by `size` bytes and their padding to 8 bytes; NULL if fewer bytes are left. */
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
    weft_hot_device_limit *devices = hot_copy_devices(program->context, &device_count);
    hot_builder used;
    /* An idle builder may have ended, so its failure is tried again; that of a new builder is final. */
    for (bool is_new = false; devices && !built && !is_new && hot_take_builder(&used, &is_new);) {
        if (send_request(used.link, handle, program, devices, device_count, options, NULL))
            built = receive_reply(used.link);
        if (built)
            hot_keep_builder(&used);
        else
            hot_drop_builder(&used);
    }
    free(devices);
    return built;
}

bool hot_prepare_elsewhere(const weft_hot_kernel *kernel, const weft_hot_key *key, bool are_disjoint,
                           weft_hot_prepared *prepared) {
    uint32_t device_count = 0;
    bool is_done = false;
    weft_hot_program *program = weft_hot_hold_program(kernel->program);
    bool is_built = program && (program->state == WEFT_HOT_BUILT_HERE || program->state == WEFT_HOT_BUILT_BY_PYTHON);
    weft_hot_device_limit *devices = is_built ? hot_copy_devices(program->context, &device_count) : NULL;
    weft_hot_launch launch = {.key = *key, .local_bytes = kernel->local_bytes,
                              .layout = __atomic_load_n(&kernel->layout, __ATOMIC_ACQUIRE), .are_disjoint = are_disjoint,
                              .waits = hot_pool.waits(), .name = (uintptr_t)kernel->name, .name_bytes = strlen(kernel->name),
                              .block = kernel->block, .block_bytes = kernel->block_bytes};
    hot_builder used;
    /* A queue's block does not contain its device, so the context must have only one. */
    for (bool is_new = false; device_count == 1 && !is_done && !is_new && hot_take_builder(&used, &is_new);) {
        is_done = send_request(used.link, kernel->program, program, devices, device_count, program->options, &launch) &&
                  receive_all(used.link, prepared, sizeof *prepared) && prepared->magic == WEFT_HOT_MAGIC;
        used.has_code = used.has_code || (is_done && !prepared->code);
        if (is_done)
            hot_keep_builder(&used);
        else
            hot_drop_builder(&used);
    }
    if (is_done && !prepared->code)
        hot_pool.name_function(prepared->function, kernel->name);
    free(devices);
    if (program)
        weft_hot_let_program_go(program);
    return is_done && prepared->code != WEFT_HOT_ASK;
}
