/* Events: waits, queries, and the status of user events. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum { NO_PROFILING = -7, INVALID_OPERATION = -59 };
enum { COMMAND_USER = 0x1204 };
enum { EVENT_QUEUE = 0x11D0, EVENT_TYPE, EVENT_REFERENCES, EVENT_STATUS, EVENT_CONTEXT };
enum { PROFILING_QUEUED = 0x1280, PROFILING_SUBMIT, PROFILING_START, PROFILING_END, PROFILING_COMPLETE };

/* Waits without the GIL, because the commands may need Python before they can end. */
static int32_t wait_for_all(uint32_t count, const uintptr_t *events) {
    int32_t result = SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        command *awaited = (command *)atomic_load(&((block *)events[i])->native);
        if (hot_pool.command_status(awaited) > 0) {
            void *state = hot_release_gil();
            int32_t ended = hot_pool.command_wait(awaited);
            hot_reacquire_gil(state);
            if (ended == INTERRUPTED)
                return INTERRUPTED;
            if (ended < 0 && hot_pool.command_status(awaited) > 0)
                return OUT_OF_RESOURCES; /* in a signal handler that interrupted the command */
        }
        if (hot_pool.command_status(awaited) < 0)
            result = FAILED_EVENTS;
    }
    return result;
}

/* The events must belong to one context. The client's references keep them alive during the call. */
int32_t hot_wait(uint32_t count, const uintptr_t *events) {
    int32_t code = count && events ? SUCCESS : INVALID_VALUE;
    for (uint32_t i = 0; i < count && !code; i++) {
        block *event = hot_find(events[i], WEFT_HOT_EVENT);
        code = !event ? INVALID_EVENT : event->context != ((block *)events[0])->context ? INVALID_CONTEXT : SUCCESS;
    }
    if (code)
        return hot_may_enter() ? PYTHON(wait_entry, wait_for_events)(count, events) : code;
    for (uint32_t i = 0; i < count; i++) {
        const block *event = (const block *)events[i];
        if (event->queue && hot_pool.command_status((command *)atomic_load(&event->native)) > 0)
            hot_pool.queue_flush(atomic_load(&event->queue->native));
    }
    int32_t result = wait_for_all(count, events);
    if (result == INTERRUPTED)
        return hot_interrupted();
    return atomic_load(&hot_waiting) && hot_is_alone() ? PYTHON(wait_entry, wait_for_events)(count, events) : result;
}

static int32_t give(uint64_t from, size_t have, size_t size, void *value, size_t *size_ret) {
    return hot_give(&from, have, size, value, size_ret); /* little-endian: the low bytes come first */
}

static int32_t event_info(const block *event, uint32_t param, size_t size, void *value, size_t *size_ret) {
    switch (param) {
    case EVENT_QUEUE:
        return give((uintptr_t)event->queue, sizeof(uintptr_t), size, value, size_ret);
    case EVENT_TYPE:
        return give(event->type, sizeof(uint32_t), size, value, size_ret);
    case EVENT_REFERENCES:
        return give(atomic_load(&event->references), sizeof(uint32_t), size, value, size_ret);
    case EVENT_STATUS:
        return give((uint32_t)hot_pool.command_status((const command *)atomic_load(&event->native)), sizeof(int32_t),
                    size, value, size_ret);
    case EVENT_CONTEXT:
        return give(event->context, sizeof(uintptr_t), size, value, size_ret);
    default:
        return INVALID_VALUE;
    }
}

int32_t hot_event_info(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const block *event = hot_find(handle, WEFT_HOT_EVENT);
    int32_t code = event ? event_info(event, param, size, value, size_ret) : INVALID_EVENT;
    /* For errors, Python calls the error callback of the context. */
    return code && hot_may_enter() ? PYTHON(query_entry, get_event_info)(handle, param, size, value, size_ret) : code;
}

static int32_t profiling_info(const block *event, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const command *ended = (const command *)atomic_load(&event->native);
    uint64_t times[4] = {0};
    if (event->type == COMMAND_USER || hot_pool.command_status(ended))
        return NO_PROFILING;
    hot_pool.command_times(ended, times);
    if (!times[0])
        return NO_PROFILING;
    if (param < PROFILING_QUEUED || param > PROFILING_COMPLETE)
        return INVALID_VALUE;
    /* Kernels enqueue no child kernels, so a command is complete when it ends. */
    uint32_t index = param == PROFILING_COMPLETE ? PROFILING_END - PROFILING_QUEUED : param - PROFILING_QUEUED;
    return give(times[index], sizeof *times, size, value, size_ret);
}

int32_t hot_profiling_info(uintptr_t handle, uint32_t param, size_t size, void *value, size_t *size_ret) {
    const block *event = hot_find(handle, WEFT_HOT_EVENT);
    int32_t code = event ? profiling_info(event, param, size, value, size_ret) : INVALID_EVENT;
    return code && hot_may_enter() ? PYTHON(query_entry, get_event_profiling_info)(handle, param, size, value, size_ret)
                               : code;
}

int32_t hot_set_user_event_status(uintptr_t handle, int32_t status) {
    typedef int32_t status_entry(uintptr_t event, int32_t status);
    const block *event = hot_find(handle, WEFT_HOT_EVENT);
    int32_t code = !event || event->type != COMMAND_USER ? INVALID_EVENT : status > 0 ? INVALID_VALUE : SUCCESS;
    if (!code && hot_pool.user_complete((command *)atomic_load(&event->native), status))
        code = INVALID_OPERATION;
    return code && hot_may_enter() ? PYTHON(status_entry, set_user_event_status)(handle, status) : code;
}
