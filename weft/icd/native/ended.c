#include "ended.h"

#include <stdlib.h>
#include <string.h>

enum { CL_OUT_OF_RESOURCES = -5, CL_INVALID_VALUE = -30 };
enum { CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3, CL_EVENT_REFERENCE_COUNT = 0x11D2 };
enum { REFERENCE_COUNT = 1 };

static struct snapshot {
    struct weft_ended_object *objects;
    size_t object_count;
    struct weft_ended_answer *answers;
    size_t answer_count;
    const char *bytes;
} *kept;

static struct { void **dispatch; } event;

static void *copy(const void *from, size_t size) {
    void *made = malloc(size ? size : 1);
    return made && size ? memcpy(made, from, size) : made;
}

void weft_ended_keep(const struct weft_ended_object *objects, size_t object_count,
                     const struct weft_ended_answer *answers, size_t answer_count, const void *bytes, size_t size) {
    struct snapshot *made = malloc(sizeof *made);
    if (!made) return;
    made->objects = copy(objects, object_count * sizeof *objects);
    made->answers = copy(answers, answer_count * sizeof *answers);
    made->bytes = copy(bytes, size);
    made->object_count = made->objects ? object_count : 0;
    made->answer_count = made->answers && made->bytes ? answer_count : 0;
    struct snapshot *none = NULL;
    if (!__atomic_compare_exchange_n(&kept, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(made->objects);
        free(made->answers);
        free((void *)made->bytes);
        free(made);
    }
}

#define COMPARE(field) if (a->field != b->field) return a->field < b->field ? -1 : 1

static int compare_objects(const void *left, const void *right) {
    const struct weft_ended_object *a = left, *b = right;
    COMPARE(handle);
    return 0;
}

static int compare_families(const void *left, const void *right) {
    const struct weft_ended_answer *a = left, *b = right;
    COMPARE(handle);
    COMPARE(family);
    return 0;
}

static int compare_answers(const void *left, const void *right) {
    const struct weft_ended_answer *a = left, *b = right;
    int order = compare_families(a, b);
    if (order) return order;
    COMPARE(about);
    COMPARE(param);
    return 0;
}

static struct weft_ended_object *find_object(uintptr_t handle) {
    const struct snapshot *snapshot = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);
    const struct weft_ended_object key = {.handle = handle};
    if (!snapshot) return NULL;
    return bsearch(&key, snapshot->objects, snapshot->object_count, sizeof key, compare_objects);
}

void weft_ended_count(uintptr_t handle, int by) {
    struct weft_ended_object *object = find_object(handle);
    if (object && object->counted) __atomic_fetch_add(&object->references, (uint32_t)by, __ATOMIC_RELAXED);
}

static int32_t give(const void *from, size_t have, size_t room, uintptr_t value, size_t *size) {
    if (value && room < have) return CL_INVALID_VALUE;
    if (value) memcpy((void *)value, from, have);
    if (size) *size = have;
    return 0;
}

static int32_t query_event(uint32_t param, size_t room, uintptr_t value, size_t *size) {
    const uint32_t status = 0, references = 1;
    if (param == CL_EVENT_COMMAND_EXECUTION_STATUS) return give(&status, sizeof status, room, value, size);
    if (param == CL_EVENT_REFERENCE_COUNT) return give(&references, sizeof references, room, value, size);
    return CL_OUT_OF_RESOURCES;
}

int32_t weft_ended_query(uint32_t family, uintptr_t handle, uint64_t about, uint32_t param, size_t room, uintptr_t value,
                         size_t *size, int32_t invalid) {
    if (handle == (uintptr_t)&event) return query_event(param, room, value, size);
    const struct weft_ended_object *object = find_object(handle);
    if (!object) return invalid;
    const struct snapshot *snapshot = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);
    const struct weft_ended_answer key = {.handle = handle, .about = about, .family = family, .param = param};
    const struct weft_ended_answer *answers = snapshot->answers;
    if (!bsearch(&key, answers, snapshot->answer_count, sizeof key, compare_families)) return invalid;
    const struct weft_ended_answer *answer = bsearch(&key, answers, snapshot->answer_count, sizeof key, compare_answers);
    if (!answer) return CL_INVALID_VALUE;
    if (answer->code < 0) return answer->code;
    if (answer->code == REFERENCE_COUNT) {
        uint32_t references = __atomic_load_n(&object->references, __ATOMIC_RELAXED);
        return give(&references, sizeof references, room, value, size);
    }
    return give(snapshot->bytes + answer->offset, answer->size, room, value, size);
}

uintptr_t weft_ended_event(void **dispatch) {
    event.dispatch = dispatch;
    return (uintptr_t)&event;
}
