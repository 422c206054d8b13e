/* Queries by threads that must not wait for the GIL, answered from results that were stored for the object.
 *
 * Stored results only change when they are replaced as a whole. The exceptions are the reference count and the local
 * memory of a kernel, which are read from the handle and the kernel. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>
#include <sys/mman.h>

enum { INVALID_DEVICE = -33, INVALID_PROGRAM = -44 };

typedef struct results {
    uint32_t count;
    uint64_t only_device; /* the device of a kernel that has exactly one, else 0 */
    const unsigned char *bytes;
    weft_hot_result all[];
} results;

static results **kept; /* indexed by block number; the array and the results are guarded by hot_lock */

static results **place_of(const block *target) {
    if (!kept) {
        void *region = mmap(NULL, sizeof *kept * HANDLES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        kept = region == MAP_FAILED ? NULL : region;
    }
    return kept ? &kept[target - hot_blocks] : NULL;
}

void *hot_make_results(const weft_hot_result *given, uint32_t count, const void *bytes, size_t byte_count,
                       uint64_t only_device) {
    size_t head = sizeof(results) + count * sizeof *given;
    results *made = malloc(head + byte_count);
    if (made) {
        *made = (results){.count = count, .only_device = only_device, .bytes = (unsigned char *)made + head};
        memcpy(made->all, given, count * sizeof *given);
        memcpy((unsigned char *)made + head, bytes, byte_count);
    }
    return made;
}

/* Stores results and returns the previous ones, or `made` itself if there is no memory for the array. The caller holds
 * the lock and must free what is returned. */
void *hot_swap_results(const block *target, void *made) {
    results **place = place_of(target), *dropped = place ? *place : made;
    if (place)
        *place = made;
    return dropped;
}

int weft_hot_keep_results(uintptr_t handle, const weft_hot_result *given, uint32_t count, const void *bytes,
                          size_t byte_count, uint64_t only_device) {
    void *made = hot_is_block(handle) ? hot_make_results(given, count, bytes, byte_count, only_device) : NULL;
    if (!made)
        return -1;
    pthread_mutex_lock(&hot_lock);
    void *dropped = hot_swap_results((block *)handle, made);
    pthread_mutex_unlock(&hot_lock);
    free(dropped);
    return dropped == made ? -1 : 0;
}

/* Removes and returns the results of a block. The caller holds the lock and must free them. */
void *hot_take_results(const block *target) {
    results *taken = kept ? kept[target - hot_blocks] : NULL;
    if (taken)
        kept[target - hot_blocks] = NULL;
    return taken;
}

/* The parameters of a query. */
typedef struct query {
    uintptr_t handle;
    uint64_t about; /* a device, or 0 */
    uint32_t family, param;
    size_t size;
    void *value;
    size_t *size_ret;
} query;

int32_t hot_give(const void *from, size_t have, size_t size, void *value, size_t *size_ret) {
    if (value && size < have)
        return INVALID_VALUE;
    if (value)
        memcpy(value, from, have);
    if (size_ret)
        *size_ret = have;
    return SUCCESS;
}

static int32_t give(const query *query, const void *from, size_t have) {
    return hot_give(from, have, query->size, query->value, query->size_ret);
}

static int32_t give_result(const query *query, const results *results, const weft_hot_result *result) {
    uint32_t references = weft_hot_references(query->handle);
    const weft_hot_kernel *kernel = hot_find_kernel(query->handle);
    switch (result->code) {
    case WEFT_HOT_GIVEN:
        return give(query, results->bytes + result->offset, result->size);
    case WEFT_HOT_REFERENCES:
        return give(query, &references, sizeof references);
    case WEFT_HOT_LOCAL_BYTES:
        return kernel ? give(query, &kernel->local_bytes, sizeof kernel->local_bytes) : WEFT_HOT_ASK;
    default:
        return result->code;
    }
}

/* Answers a query from the stored results. Returns an error code; WEFT_HOT_ASK or WEFT_HOT_COMPUTE if the result is not
 * stored; `missing` if the object has no results of this family for `about`. */
static int32_t look_up(const query *query, int32_t missing) {
    int32_t code = WEFT_HOT_ASK;
    pthread_mutex_lock(&hot_lock);
    const results *results = hot_is_block(query->handle) && kept ? kept[(block *)query->handle - hot_blocks] : NULL;
    if (results) {
        uint64_t about = query->about ? query->about : results->only_device;
        code = missing;
        for (uint32_t i = 0; i < results->count; i++) {
            const weft_hot_result *result = &results->all[i];
            if (result->family != query->family || (query->family != WEFT_HOT_INFO && result->about != about))
                continue;
            code = INVALID_VALUE;
            if (result->param == query->param) {
                code = give_result(query, results, result);
                break;
            }
        }
    }
    pthread_mutex_unlock(&hot_lock);
    return code;
}

static int32_t info(uintptr_t handle, uint32_t kind, uint32_t other, int32_t invalid, query_entry *python_entry,
                    uint32_t param, size_t size, void *value, size_t *size_ret) {
    int32_t code = WEFT_HOT_ASK;
    if (!hot_is_alone()) {
        query query = {.handle = handle, .family = WEFT_HOT_INFO, .param = param, .size = size, .value = value,
                       .size_ret = size_ret};
        code = hot_find(handle, kind) || hot_find(handle, other) ? look_up(&query, INVALID_VALUE) : invalid;
    }
    return code == WEFT_HOT_ASK ? python_entry(handle, param, size, value, size_ret) : code;
}

#define INFO(name, kind, other, invalid)                                                                               \
    int32_t hot_get_##name##_info(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret) {      \
        return info(handle, kind, other, invalid, PYTHON(query_entry, get_##name##_info), param, size, value, size_ret); \
    }

INFO(device, WEFT_HOT_ROOT_DEVICE, WEFT_HOT_SUB_DEVICE, INVALID_DEVICE)
INFO(context, WEFT_HOT_CONTEXT, WEFT_HOT_CONTEXT, INVALID_CONTEXT)
INFO(command_queue, WEFT_HOT_QUEUE, WEFT_HOT_QUEUE, INVALID_QUEUE)
INFO(kernel, WEFT_HOT_KERNEL, WEFT_HOT_KERNEL, INVALID_KERNEL)
INFO(program, WEFT_HOT_PROGRAM, WEFT_HOT_PROGRAM, INVALID_PROGRAM)

int32_t hot_get_build_info(uintptr_t program, uintptr_t device, uint32_t param, size_t size, void *value,
                           size_t *size_ret) {
    int32_t code = WEFT_HOT_ASK;
    if (!hot_is_alone()) {
        query query = {.handle = program, .about = device, .family = WEFT_HOT_BUILD_INFO, .param = param,
                       .size = size, .value = value, .size_ret = size_ret};
        code = hot_find(program, WEFT_HOT_PROGRAM) ? look_up(&query, INVALID_DEVICE) : INVALID_PROGRAM;
    }
    return code == WEFT_HOT_ASK ? PYTHON(kernel_query_entry, get_program_build_info)(program, device, param, size, value,
                                                                                   size_ret)
                                : code;
}

int32_t hot_get_work_group_info(uintptr_t kernel, uintptr_t device, uint32_t param, size_t size, void *value,
                                size_t *size_ret) {
    int32_t code = WEFT_HOT_ASK;
    if (!hot_is_alone()) {
        query query = {.handle = kernel, .about = device, .family = WEFT_HOT_WORK_GROUP_INFO, .param = param,
                       .size = size, .value = value, .size_ret = size_ret};
        code = hot_find(kernel, WEFT_HOT_KERNEL) ? look_up(&query, INVALID_DEVICE) : INVALID_KERNEL;
    }
    return code == WEFT_HOT_ASK ? PYTHON(kernel_query_entry, get_kernel_work_group_info)(kernel, device, param, size,
                                                                                       value, size_ret)
                                : code;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* Queries of sub-groups for a given local size, or of the local size for a given number of sub-groups. */
static int32_t sub_groups_of(const query *query, size_t input_size, const uint64_t *input) {
    enum { LARGEST_FOR_SIZE = 0x2033, COUNT_FOR_SIZE, SIZE_FOR_COUNT = 0x11B8 };
    const weft_hot_kernel *kernel = hot_find_kernel(query->handle);
    bool wants_size = query->param == SIZE_FOR_COUNT;
    if (!kernel || (!wants_size && query->param != LARGEST_FOR_SIZE && query->param != COUNT_FOR_SIZE))
        return WEFT_HOT_ASK;
    size_t given = input ? input_size / sizeof *input : 0;
    size_t room = query->value ? query->size / sizeof *input : 3;
    if (given < 1 || given > (wants_size ? 1 : 3) || (wants_size && (room < 1 || room > 3)))
        return INVALID_VALUE;
    uint64_t lanes = kernel->sub_group_size, items = 1, found[3] = {0, 0, 0};
    const uint64_t *required = kernel->required_size;
    bool is_empty = false, overflows = false;
    for (size_t i = 0; i < given; i++) {
        is_empty = is_empty || !input[i];
        overflows = __builtin_mul_overflow(items, input[i], &items) || overflows;
    }
    if (overflows && !is_empty)
        return INVALID_VALUE;
    if (query->param == LARGEST_FOR_SIZE)
        items = items < lanes ? items : lanes;
    if (query->param == COUNT_FOR_SIZE)
        items = divide_up(items, lanes);
    if (!wants_size)
        return give(query, &items, sizeof items);
    if (required[0] && divide_up(required[0] * required[1] * required[2], lanes) == items)
        memcpy(found, required, sizeof found);
    if (!required[0] && items && items <= kernel->most_group_items / lanes)
        found[0] = items * lanes, found[1] = found[2] = 1;
    return give(query, found, room * sizeof *found);
}

static int32_t sub_group_info(sub_group_entry *python_entry, uintptr_t kernel, uintptr_t device, uint32_t param,
                              size_t input_size, const void *input, size_t size, void *value, size_t *size_ret) {
    int32_t code = WEFT_HOT_ASK;
    if (!hot_is_alone()) {
        query query = {.handle = kernel, .about = device, .family = WEFT_HOT_SUB_GROUP_INFO, .param = param,
                       .size = size, .value = value, .size_ret = size_ret};
        bool whole = input_size % sizeof(size_t) == 0;
        if (!whole)
            query.value = query.size_ret = NULL;
        code = hot_find(kernel, WEFT_HOT_KERNEL) ? look_up(&query, INVALID_DEVICE) : INVALID_KERNEL;
        if (code >= 0 && !whole)
            code = INVALID_VALUE;
        if (code == WEFT_HOT_COMPUTE)
            code = sub_groups_of(&query, input_size, input);
    }
    return code == WEFT_HOT_ASK ? python_entry(kernel, device, param, input_size, input, size, value, size_ret) : code;
}

int32_t hot_get_sub_group_info(uintptr_t kernel, uintptr_t device, uint32_t param, size_t input_size, const void *input,
                               size_t size, void *value, size_t *size_ret) {
    return sub_group_info(PYTHON(sub_group_entry, get_kernel_sub_group_info), kernel, device, param, input_size, input,
                          size, value, size_ret);
}

int32_t hot_get_sub_group_info_khr(uintptr_t kernel, uintptr_t device, uint32_t param, size_t input_size,
                                   const void *input, size_t size, void *value, size_t *size_ret) {
    return sub_group_info(PYTHON(sub_group_entry, get_kernel_sub_group_info_khr), kernel, device, param, input_size,
                          input, size, value, size_ret);
}
