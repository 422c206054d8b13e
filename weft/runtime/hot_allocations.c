/* Unified shared memory: the table of allocations of all contexts, and the calls that allocate and query without
 * Python.
 *
 * The table is the only record of an allocation; Python accesses it through the functions of hot.h. hot_lock guards the
 * table and the limits of contexts. While it is held here, nothing else is locked, and no function but malloc, realloc
 * and free is called.
 *
 * An allocation keeps its context alive: it is a dependent of the context's block from when it is added until Python
 * has freed its memory (weft_hot_dependent_gone). */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum { INVALID_DEVICE = -33, INVALID_BUFFER_SIZE = -61, INVALID_PROPERTY = -64 };
enum { KIND_UNKNOWN = 0x4196, KIND_HOST, KIND_DEVICE, KIND_SHARED };
enum { INFO_FLAGS = 0x4195, INFO_KIND = 0x419A, INFO_START, INFO_SIZE, INFO_DEVICE };
enum { WRITE_COMBINED = 1, ON_DEVICE = 2, ON_HOST = 4 };
enum { LARGEST_ALIGNMENT = 128 }; /* that of long16 and double16 */

/* The limits of a context, `native` of its block. */
typedef struct limits {
    uint64_t most_bytes;
    uint32_t device_count;
    weft_hot_device_limit devices[];
} limits;

static weft_hot_allocation **all; /* sorted by address */
static size_t count, room;

/* The number of allocations that start at or before an address. The caller holds the lock. */
static size_t rank_of(uintptr_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The allocation of a context that contains an address, and its index in the table. The caller holds the lock. */
static weft_hot_allocation *find(uintptr_t context, uintptr_t address, size_t *place) {
    size_t rank = rank_of(address);
    weft_hot_allocation *found = rank ? all[rank - 1] : NULL;
    if (!found || found->context != context || address - found->address >= found->size)
        return NULL;
    *place = rank - 1;
    return found;
}

int weft_hot_add_allocation(const weft_hot_allocation *added) {
    weft_hot_allocation *made = malloc(sizeof *made);
    if (!made)
        return -1;
    *made = *added;
    pthread_mutex_lock(&hot_lock);
    if (count == room) {
        size_t more = room ? 2 * room : 64;
        weft_hot_allocation **moved = realloc(all, more * sizeof *all);
        if (!moved) {
            pthread_mutex_unlock(&hot_lock);
            free(made);
            return -1;
        }
        all = moved;
        room = more;
    }
    size_t rank = rank_of(made->address);
    memmove(&all[rank + 1], &all[rank], (count++ - rank) * sizeof *all);
    all[rank] = made;
    atomic_fetch_add(&((block *)made->context)->dependents, 1);
    pthread_mutex_unlock(&hot_lock);
    return 0;
}

int weft_hot_find_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *found) {
    size_t place;
    pthread_mutex_lock(&hot_lock);
    const weft_hot_allocation *there = find(context, address, &place);
    if (there)
        *found = *there;
    pthread_mutex_unlock(&hot_lock);
    return there != NULL;
}

int weft_hot_take_allocation(uintptr_t context, uintptr_t address, weft_hot_allocation *taken) {
    size_t place;
    pthread_mutex_lock(&hot_lock);
    weft_hot_allocation *there = find(context, address, &place);
    if (there && there->address != address)
        there = NULL;
    if (there) {
        *taken = *there;
        memmove(&all[place], &all[place + 1], (--count - place) * sizeof *all);
    }
    pthread_mutex_unlock(&hot_lock);
    free(there);
    return there != NULL;
}

int weft_hot_bind_context(uintptr_t handle, uint64_t most_bytes, const weft_hot_device_limit *devices, uint32_t devices_count) {
    limits *made = malloc(sizeof *made + devices_count * sizeof *devices);
    if (!made)
        return -1;
    made->most_bytes = most_bytes;
    made->device_count = devices_count;
    memcpy(made->devices, devices, devices_count * sizeof *devices);
    atomic_store(&((block *)handle)->native, (uintptr_t)made);
    weft_hot_bind(handle, WEFT_HOT_CONTEXT);
    return 0;
}

weft_hot_device_limit *hot_copy_devices(uintptr_t context, uint32_t *device_count) {
    weft_hot_device_limit *copy = NULL;
    pthread_mutex_lock(&hot_lock);
    const block *owner = hot_find(context, WEFT_HOT_CONTEXT);
    const limits *known = owner ? (const limits *)atomic_load(&owner->native) : NULL;
    size_t bytes = known ? known->device_count * sizeof *copy : 0;
    bool are_all = known;
    for (uint32_t i = 0; known && i < known->device_count; i++)
        are_all = are_all && known->devices[i].number != WEFT_HOT_NO_NUMBER;
    if (are_all && (copy = malloc(bytes))) {
        memcpy(copy, known->devices, bytes);
        *device_count = known->device_count;
    }
    pthread_mutex_unlock(&hot_lock);
    return copy;
}

/* Detaches the limits from the block of a deleted context. The caller holds the lock and must free the result. */
void *hot_take_limits(block *context) {
    if (atomic_load(&context->kind) != WEFT_HOT_CONTEXT)
        return NULL;
    return (void *)atomic_exchange(&context->native, 0);
}

enum { BY_PYTHON = 1 }; /* returned instead of an error code: Python must handle the call */

/* Finds the limits of a device of a context, or those of all devices (0). BY_PYTHON if the context has none. The caller
 * holds the lock. */
static int32_t find_device(uintptr_t context, uintptr_t device, weft_hot_device_limit *found) {
    const block *owner = hot_find(context, WEFT_HOT_CONTEXT);
    const limits *known = owner ? (const limits *)atomic_load(&owner->native) : NULL;
    if (!known)
        return owner ? BY_PYTHON : INVALID_CONTEXT;
    *found = (weft_hot_device_limit){.most_bytes = known->most_bytes};
    for (uint32_t i = 0; i < known->device_count; i++)
        if (known->devices[i].device == device) {
            *found = known->devices[i];
            return SUCCESS;
        }
    return device ? INVALID_DEVICE : SUCCESS;
}

int32_t hot_find_limit(uintptr_t context, uintptr_t device, uint64_t *most) {
    weft_hot_device_limit found = {0};
    pthread_mutex_lock(&hot_lock);
    int32_t code = find_device(context, device, &found);
    pthread_mutex_unlock(&hot_lock);
    *most = found.most_bytes;
    return code;
}

int32_t hot_find_pool(uintptr_t context, uintptr_t device, uintptr_t *pool) {
    weft_hot_device_limit found = {0};
    pthread_mutex_lock(&hot_lock);
    int32_t code = find_device(context, device, &found);
    pthread_mutex_unlock(&hot_lock);
    *pool = found.pool;
    return code || found.pool ? code : INVALID_DEVICE;
}

static int32_t check_flags(uint32_t kind, const uint64_t *properties, uint64_t *flags) {
    *flags = 0;
    if (properties && properties[0]) {
        if (properties[0] != INFO_FLAGS || properties[2])
            return INVALID_PROPERTY;
        *flags = properties[1];
    }
    uint64_t placements = ON_DEVICE | ON_HOST, allowed = WRITE_COMBINED | (kind == KIND_SHARED ? placements : 0);
    return *flags & ~allowed || (*flags & placements) == placements ? INVALID_PROPERTY : SUCCESS;
}

static int32_t allocate(uint32_t kind, uintptr_t context, uintptr_t device, const uint64_t *properties, size_t size,
                        uint32_t alignment, uintptr_t *address) {
    uint64_t most = 0, flags;
    /* If this thread may enter Python, memory that waits for commands to end is freed there first. */
    if (atomic_load(&hot_waiting) && hot_is_alone())
        return BY_PYTHON;
    int32_t code = hot_find_limit(context, device, &most);
    if (!code && kind == KIND_DEVICE && !device)
        code = INVALID_DEVICE;
    if (!code && (alignment > LARGEST_ALIGNMENT || alignment & (alignment - 1)))
        code = INVALID_VALUE;
    if (!code)
        code = check_flags(kind, properties, &flags);
    if (!code && (!size || size > most))
        code = INVALID_BUFFER_SIZE;
    if (code)
        return code;
    weft_hot_allocation made = {.context = context, .device = device, .size = size, .flags = flags, .kind = kind};
    made.address = (uintptr_t)hot_pool.allocate(size, LARGEST_ALIGNMENT);
    if (!made.address)
        return OUT_OF_HOST_MEMORY;
    if (weft_hot_add_allocation(&made)) {
        hot_pool.free((void *)made.address);
        return OUT_OF_HOST_MEMORY;
    }
    *address = made.address;
    return SUCCESS;
}

/* Whether Python must handle a call; otherwise sets `errcode`. Python handles errors too where the thread may enter it,
 * because it calls the error callback of the context. */
static bool needs_python(int32_t code, int32_t *errcode) {
    if (code == BY_PYTHON || (code && hot_may_enter()))
        return true;
    if (errcode)
        *errcode = code;
    return false;
}

uintptr_t hot_host_alloc(uintptr_t context, const uint64_t *properties, size_t size, uint32_t alignment,
                         int32_t *errcode) {
    uintptr_t address = 0;
    if (needs_python(allocate(KIND_HOST, context, 0, properties, size, alignment, &address), errcode))
        return PYTHON(host_alloc_entry, host_mem_alloc_intel)(context, properties, size, alignment, errcode);
    return address;
}

uintptr_t hot_device_alloc(uintptr_t context, uintptr_t device, const uint64_t *properties, size_t size,
                           uint32_t alignment, int32_t *errcode) {
    uintptr_t address = 0;
    if (needs_python(allocate(KIND_DEVICE, context, device, properties, size, alignment, &address), errcode))
        return PYTHON(device_alloc_entry, device_mem_alloc_intel)(context, device, properties, size, alignment, errcode);
    return address;
}

uintptr_t hot_shared_alloc(uintptr_t context, uintptr_t device, const uint64_t *properties, size_t size,
                           uint32_t alignment, int32_t *errcode) {
    uintptr_t address = 0;
    if (needs_python(allocate(KIND_SHARED, context, device, properties, size, alignment, &address), errcode))
        return PYTHON(device_alloc_entry, shared_mem_alloc_intel)(context, device, properties, size, alignment, errcode);
    return address;
}

/* If the address is in no allocation, the kind is KIND_UNKNOWN and all other results are 0. */
static int32_t allocation_info(uintptr_t context, uintptr_t pointer, uint32_t param, size_t size, void *value,
                               size_t *size_ret) {
    weft_hot_allocation found = {.kind = KIND_UNKNOWN};
    if (!hot_find(context, WEFT_HOT_CONTEXT))
        return INVALID_CONTEXT;
    weft_hot_find_allocation(context, pointer, &found);
    switch (param) {
    case INFO_KIND:
        return hot_give(&found.kind, sizeof found.kind, size, value, size_ret);
    case INFO_START:
        return hot_give(&found.address, sizeof found.address, size, value, size_ret);
    case INFO_SIZE:
        return hot_give(&found.size, sizeof found.size, size, value, size_ret);
    case INFO_DEVICE:
        return hot_give(&found.device, sizeof found.device, size, value, size_ret);
    case INFO_FLAGS:
        return hot_give(&found.flags, sizeof found.flags, size, value, size_ret);
    default:
        return INVALID_VALUE;
    }
}

int32_t hot_get_mem_alloc_info(uintptr_t context, uintptr_t pointer, uint32_t param, size_t size, void *value,
                               size_t *size_ret) {
    int32_t code = allocation_info(context, pointer, param, size, value, size_ret);
    return code && hot_may_enter() ? PYTHON(allocation_query_entry, get_mem_alloc_info_intel)(context, pointer, param,
                                                                                            size, value, size_ret)
                                   : code;
}
