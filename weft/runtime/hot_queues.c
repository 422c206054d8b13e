/* Command queues created by C, in contexts in which it can allocate.
 *
 * Such a queue is owned by C until Python adopts it (`adopted`): when an entry looks it up, when it is deleted, and
 * before Python iterates over the queues of its context. It is a dependent of its context until then. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum { INVALID_DEVICE = -33, INVALID_QUEUE_PROPERTIES = -35 };
enum { BY_PYTHON = 1 }; /* returned instead of an error code: Python must handle the call */
enum { QUEUE_CONTEXT = 0x1090, QUEUE_DEVICE, QUEUE_REFERENCES, QUEUE_PROPERTIES, QUEUE_SIZE, QUEUE_DEFAULT };
enum { QUEUE_PRIORITY = 0x1096, QUEUE_THROTTLE, QUEUE_LIST };
enum { OUT_OF_ORDER = 1, PROFILING = 2 };
enum { HIGH = 1, MEDIUM = 2, LOW = 4 }; /* values of the hints priority and throttle, which have no effect */
enum { MOST_WORDS = 7 };                /* length of a list that has each property once */

struct hot_unadopted_queue {
    uintptr_t device;
    uint64_t properties;
    uint32_t word_count; /* length of the list including the terminating zero */
    uint64_t words[MOST_WORDS];
};

static _Atomic uint32_t unadopted_count;

static int32_t read_properties(const uint64_t *list, struct hot_unadopted_queue *made) {
    for (; list && *list; list += 2) {
        bool is_hint = *list == QUEUE_PRIORITY || *list == QUEUE_THROTTLE;
        if (made->word_count + 2 >= MOST_WORDS || (!is_hint && *list != QUEUE_PROPERTIES))
            return BY_PYTHON;
        if (is_hint ? list[1] != HIGH && list[1] != MEDIUM && list[1] != LOW : list[1] & ~(uint64_t)(OUT_OF_ORDER | PROFILING))
            return BY_PYTHON;
        if (!is_hint)
            made->properties = list[1];
        made->words[made->word_count++] = list[0];
        made->words[made->word_count++] = list[1];
    }
    made->word_count += list != NULL;
    return SUCCESS;
}

static int keep_results(const block *target, const struct hot_unadopted_queue *queue) {
    const uint64_t values[] = {target->context, queue->device, queue->properties, 0};
    struct {
        uint64_t values[sizeof values / sizeof *values], words[MOST_WORDS];
    } bytes;
    memcpy(bytes.values, values, sizeof values);
    memcpy(bytes.words, queue->words, sizeof bytes.words);
    enum { WORD = sizeof(uint64_t) };
    const weft_hot_result results[] = {
        {.param = QUEUE_CONTEXT, .code = WEFT_HOT_GIVEN, .size = WORD},
        {.param = QUEUE_DEVICE, .code = WEFT_HOT_GIVEN, .size = WORD, .offset = WORD},
        {.param = QUEUE_REFERENCES, .code = WEFT_HOT_REFERENCES},
        {.param = QUEUE_PROPERTIES, .code = WEFT_HOT_GIVEN, .size = WORD, .offset = 2 * WORD},
        {.param = QUEUE_SIZE, .code = INVALID_QUEUE},
        {.param = QUEUE_DEFAULT, .code = WEFT_HOT_GIVEN, .size = WORD, .offset = 3 * WORD},
        {.param = QUEUE_LIST, .code = WEFT_HOT_GIVEN, .size = queue->word_count * WORD, .offset = sizeof values},
    };
    return weft_hot_keep_results((uintptr_t)target, results, sizeof results / sizeof *results, &bytes, sizeof bytes, 0);
}

static int32_t create(uintptr_t context, uintptr_t device, const uint64_t *properties, uintptr_t *handle) {
    uintptr_t pool = 0;
    int32_t code = hot_find_pool(context, device, &pool);
    struct hot_unadopted_queue *queue = code ? NULL : calloc(1, sizeof *queue);
    if (!code)
        code = queue ? read_properties(properties, queue) : OUT_OF_HOST_MEMORY;
    block *made = code ? NULL : hot_take_block();
    uintptr_t native = 0;
    if (made) {
        queue->device = device;
        made->context = context;
        native = hot_pool.queue_new(pool, !!(queue->properties & OUT_OF_ORDER), !!(queue->properties & PROFILING));
    }
    if (!code && (!native || keep_results(made, queue)))
        code = OUT_OF_HOST_MEMORY;
    if (!code) {
        made->unadopted = queue;
        atomic_store(&made->adopted, 0);
        atomic_fetch_add(&((block *)context)->dependents, 1);
        weft_hot_bind_queue((uintptr_t)made, native, context);
        atomic_fetch_add(&unadopted_count, 1);
        *handle = (uintptr_t)made;
        return SUCCESS;
    }
    if (native)
        hot_pool.queue_release(native);
    if (made)
        hot_free_block(made);
    free(queue);
    return code;
}

uintptr_t hot_create_queue(uintptr_t context, uintptr_t device, const uint64_t *properties, int32_t *errcode) {
    uintptr_t handle = 0;
    int32_t code = hot_is_alone() ? BY_PYTHON : create(context, device, properties, &handle);
    /* For errors, Python calls the error callback of the context. */
    if (code == BY_PYTHON || (code && hot_may_enter()))
        return PYTHON(queue_entry, create_command_queue_with_properties)(context, device, properties, errcode);
    if (errcode)
        *errcode = code;
    return handle;
}

int weft_hot_take_queue(uintptr_t handle, weft_hot_queue *taken) {
    block *found = hot_find(handle, WEFT_HOT_QUEUE);
    uint32_t expected = 0;
    if (!found || !atomic_compare_exchange_strong(&found->adopted, &expected, 1))
        return 0;
    *taken = (weft_hot_queue){.native = atomic_load(&found->native), .context = found->context, .device = found->unadopted->device,
                              .properties = found->unadopted->properties, .word_count = found->unadopted->word_count};
    memcpy(taken->words, found->unadopted->words, sizeof taken->words);
    free(found->unadopted);
    found->unadopted = NULL;
    atomic_fetch_sub(&unadopted_count, 1);
    return 1;
}

int weft_hot_has_unadopted_queues(void) {
    return atomic_load(&unadopted_count) != 0;
}
