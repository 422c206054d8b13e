/* Buffers of contexts in which C can allocate: creating them, and commands that read, write, copy and fill them.
 *
 * A buffer created here is owned by C until Python adopts it (`adopted`): until then its block holds all its data, and
 * it is a dependent of its context. Python adopts it when an entry looks it up, or to delete it: only Python knows when
 * no command uses its memory any more. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum {
    ALLOCATION_FAILURE = -4,
    COPY_OVERLAP = -8,
    INVALID_HOST_POINTER = -37,
    INVALID_OPERATION = -59,
    INVALID_BUFFER_SIZE = -61
};
enum { BY_PYTHON = 1 }; /* returned instead of an error code: Python must handle the call */
enum { COMMAND_READ = 0x11F3, COMMAND_WRITE, COMMAND_COPY, COMMAND_FILL = 0x1207 };
enum {
    READ_WRITE = 1 << 0,
    WRITE_ONLY = 1 << 1,
    READ_ONLY = 1 << 2,
    USE_HOST_POINTER = 1 << 3,
    ALLOC_HOST_POINTER = 1 << 4,
    COPY_HOST_POINTER = 1 << 5,
    HOST_WRITE_ONLY = 1 << 7,
    HOST_READ_ONLY = 1 << 8,
    HOST_NO_ACCESS = 1 << 9
};
enum { ALIGNMENT = 128, SPARE_BYTES = 256, LARGEST_PATTERN = 128 }; /* as in memory.py */

/* ---- creating a buffer */

static bool is_one_at_most(uint64_t flags, uint64_t group) {
    return !(flags & group & ((flags & group) - 1));
}

static int32_t check_flags(uint64_t flags, bool has_pointer) {
    uint64_t access = READ_WRITE | WRITE_ONLY | READ_ONLY, host = HOST_WRITE_ONLY | HOST_READ_ONLY | HOST_NO_ACCESS;
    uint64_t pointer = USE_HOST_POINTER | ALLOC_HOST_POINTER | COPY_HOST_POINTER;
    bool excludes = flags & USE_HOST_POINTER && flags & (ALLOC_HOST_POINTER | COPY_HOST_POINTER);
    if (flags & ~(access | host | pointer) || !is_one_at_most(flags, access) || !is_one_at_most(flags, host) || excludes)
        return INVALID_VALUE;
    return has_pointer == !!(flags & (USE_HOST_POINTER | COPY_HOST_POINTER)) ? SUCCESS : INVALID_HOST_POINTER;
}

static int32_t create(uintptr_t context, uint64_t flags, size_t size, void *pointer, uintptr_t *handle) {
    uint64_t most = 0;
    int32_t code = hot_find_limit(context, 0, &most);
    if (!code)
        code = check_flags(flags, pointer);
    if (!code && (!size || size > most))
        code = INVALID_BUFFER_SIZE;
    if (code)
        return code;
    block *made = hot_take_block();
    if (!made)
        return OUT_OF_HOST_MEMORY;
    void *address = flags & USE_HOST_POINTER ? pointer : hot_pool.allocate(size + SPARE_BYTES, ALIGNMENT);
    if (!address) {
        hot_free_block(made);
        return ALLOCATION_FAILURE;
    }
    if (flags & COPY_HOST_POINTER)
        memcpy(address, pointer, size);
    atomic_store(&made->adopted, 0);
    atomic_fetch_add(&((block *)context)->dependents, 1);
    bool has_access = flags & (READ_WRITE | WRITE_ONLY | READ_ONLY);
    weft_hot_bind_memory((uintptr_t)made, (uintptr_t)address, size, context, (uint32_t)flags | (has_access ? 0 : READ_WRITE));
    *handle = (uintptr_t)made;
    return SUCCESS;
}

uintptr_t hot_create_buffer(uintptr_t context, uint64_t flags, size_t size, void *pointer, int32_t *errcode) {
    uintptr_t handle = 0;
    int32_t code = hot_is_alone() ? BY_PYTHON : create(context, flags, size, pointer, &handle);
    /* For errors, Python calls the error callback of the context. */
    if (code == BY_PYTHON || (code && hot_may_enter()))
        return PYTHON(buffer_entry, create_buffer)(context, flags, size, pointer, errcode);
    if (errcode)
        *errcode = code;
    return handle;
}

int weft_hot_find_unadopted_buffer(uintptr_t handle, weft_hot_unadopted_buffer *found) {
    const block *target = hot_find(handle, WEFT_HOT_BUFFER);
    if (!target || atomic_load(&target->adopted))
        return 0;
    uintptr_t address = atomic_load(&target->native);
    *found = (weft_hot_unadopted_buffer){.context = target->context, .address = address, .size = atomic_load(&target->size),
                                     .flags = target->flags,
                                     .host_pointer = target->flags & USE_HOST_POINTER ? address : 0};
    return 1;
}

/* ---- copies */

/* Finds the address of a part of a buffer in the context of the queue. Returns an error code, INVALID_OPERATION if the
 * buffer has a flag in `without`. */
static int32_t find_part(const block *on, uintptr_t handle, size_t offset, size_t size, uint32_t without, uintptr_t *address) {
    const block *memory = hot_find(handle, WEFT_HOT_BUFFER);
    uintptr_t start = memory ? atomic_load(&memory->native) : 0;
    if (!start)
        return INVALID_MEMORY;
    if (memory->context != on->context)
        return INVALID_CONTEXT;
    uint64_t bytes = atomic_load(&memory->size);
    if (!size || offset > bytes || size > bytes - offset)
        return INVALID_VALUE;
    *address = start + offset;
    return memory->flags & without ? INVALID_OPERATION : SUCCESS;
}

/* The queue, if C may enqueue this command on it, else NULL. The buffers of its context must have a single copy, in the
 * memory of the process. A blocking command of a thread that is alone enters Python, where a signal handler can end
 * it. */
static block *find_queue(uintptr_t queue, bool blocking) {
    block *on = hot_find(queue, WEFT_HOT_QUEUE);
    bool is_usable = on && atomic_load(&((block *)on->context)->native) && !(blocking && hot_is_alone());
    return is_usable ? on : NULL;
}

/* `code` is the result of the checks of the caller. Returns BY_PYTHON for errors where the thread may enter Python,
 * which calls the error callback of the context. */
static int32_t enqueue_copy(block *on, int32_t code, uint32_t type, bool blocking, uintptr_t to, uintptr_t from, size_t size,
                            uint32_t count, const uintptr_t *events, uintptr_t *event) {
    hot_waits wait = {.commands = wait.few};
    if (!code)
        code = hot_find_waits(on, count, events, &wait);
    if (code)
        return hot_may_enter() ? BY_PYTHON : code;
    block *event_block = event ? hot_take_block() : NULL;
    command *started = event && !event_block
                           ? NULL
                           : hot_pool.enqueue_copy(atomic_load(&on->native), to, from, size, wait.commands, count);
    hot_free_waits(&wait);
    return hot_enqueued_and_awaited(on, started, type, event_block, event, blocking);
}

/* Enqueues a read to host memory at `pointer`, or a write from there. */
static int32_t transfer(uint32_t type, uintptr_t queue, uintptr_t buffer, uint32_t blocking, size_t offset, size_t size,
                        uintptr_t pointer, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    bool reads = type == COMMAND_READ;
    block *on = find_queue(queue, blocking);
    uintptr_t part = 0;
    int32_t code = BY_PYTHON;
    if (on) {
        code = find_part(on, buffer, offset, size, (reads ? HOST_WRITE_ONLY : HOST_READ_ONLY) | HOST_NO_ACCESS, &part);
        code = enqueue_copy(on, code || pointer ? code : INVALID_VALUE, type, blocking, reads ? pointer : part,
                            reads ? part : pointer, size, count, events, event);
    }
    if (code != BY_PYTHON)
        return code;
    transfer_entry *entry = reads ? PYTHON(transfer_entry, enqueue_read_buffer) : PYTHON(transfer_entry, enqueue_write_buffer);
    return entry(queue, buffer, blocking, offset, size, pointer, count, events, event);
}

int32_t hot_read_buffer(uintptr_t queue, uintptr_t buffer, uint32_t blocking, size_t offset, size_t size, uintptr_t pointer,
                        uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return transfer(COMMAND_READ, queue, buffer, blocking, offset, size, pointer, count, events, event);
}

int32_t hot_write_buffer(uintptr_t queue, uintptr_t buffer, uint32_t blocking, size_t offset, size_t size, uintptr_t pointer,
                         uint32_t count, const uintptr_t *events, uintptr_t *event) {
    return transfer(COMMAND_WRITE, queue, buffer, blocking, offset, size, pointer, count, events, event);
}

int32_t hot_copy_buffer(uintptr_t queue, uintptr_t source, uintptr_t target, size_t source_offset, size_t target_offset,
                        size_t size, uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = find_queue(queue, false);
    uintptr_t from = 0, to = 0;
    int32_t code = BY_PYTHON;
    if (on) {
        code = find_part(on, source, source_offset, size, 0, &from);
        if (!code)
            code = find_part(on, target, target_offset, size, 0, &to);
        if (!code && (to < from ? from - to : to - from) < size)
            code = COPY_OVERLAP;
        code = enqueue_copy(on, code, COMMAND_COPY, false, to, from, size, count, events, event);
    }
    return code == BY_PYTHON ? PYTHON(copy_buffer_entry, enqueue_copy_buffer)(queue, source, target, source_offset,
                                                                              target_offset, size, count, events, event)
                             : code;
}

int32_t hot_fill_buffer(uintptr_t queue, uintptr_t buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size,
                        uint32_t count, const uintptr_t *events, uintptr_t *event) {
    block *on = size ? find_queue(queue, false) : NULL; /* Python handles a size of 0 */
    bool is_valid = pattern && pattern_size && pattern_size <= LARGEST_PATTERN && !(pattern_size & (pattern_size - 1)) &&
                    !(offset % pattern_size) && !(size % pattern_size);
    hot_waits wait = {.commands = wait.few};
    uintptr_t to = 0;
    int32_t code = !on ? BY_PYTHON : is_valid ? find_part(on, buffer, offset, size, 0, &to) : INVALID_VALUE;
    if (!code)
        code = hot_find_waits(on, count, events, &wait);
    if (!code) {
        block *event_block = event ? hot_take_block() : NULL;
        command *started = event && !event_block ? NULL
                                          : hot_pool.enqueue_fill(atomic_load(&on->native), to, pattern, pattern_size, size,
                                                                  wait.commands, count);
        code = hot_enqueued(on, started, COMMAND_FILL, event_block, event);
    } else if (hot_may_enter()) {
        code = BY_PYTHON;
    }
    hot_free_waits(&wait);
    return code == BY_PYTHON ? PYTHON(fill_buffer_entry, enqueue_fill_buffer)(queue, buffer, pattern, pattern_size, offset,
                                                                              size, count, events, event)
                             : code;
}
