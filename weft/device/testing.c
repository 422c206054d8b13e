/* Work-group functions for tests of the pool, so that it can be tested without the compiler. */
#include "internal.h"
#include "modes.h"

#include <string.h>

#define GROUP_FUNCTION(name) \
    static void name(const weft_launch *launch, const void *args, void *local, void *context, uint64_t x, \
                     uint64_t y, uint64_t z)
#define UNUSED (void)launch, (void)args, (void)local, (void)context, (void)x, (void)y, (void)z

GROUP_FUNCTION(empty) {
    UNUSED;
}

/* out[i] = a[i] + b[i] for the group's items. */
GROUP_FUNCTION(add) {
    UNUSED;
    const struct { const float *a, *b; float *out; } *p = args;
    uint64_t first = launch->global_offset[0] + x * launch->local_size[0];
    for (uint64_t i = first; i < first + launch->local_size[0]; i++)
        p->out[i] = p->a[i] + p->b[i];
}

GROUP_FUNCTION(count) {
    UNUSED;
    _Atomic uint64_t *const *counter = args;
    atomic_fetch_add_explicit(*counter, 1, memory_order_relaxed);
}

/* Adds one to the entry of the group, so that a group that is lost or run twice shows. */
GROUP_FUNCTION(visit) {
    UNUSED;
    uint8_t *const *seen = args;
    (*seen)[x + launch->num_groups[0] * (y + launch->num_groups[1] * z)]++;
}

/* Appends the number of the group to a log. */
GROUP_FUNCTION(trace) {
    UNUSED;
    const struct { uint64_t *log; _Atomic uint64_t *length; } *p = args;
    p->log[atomic_fetch_add(p->length, 1)] = x + launch->num_groups[0] * (y + launch->num_groups[1] * z);
}

/* Writes to the given address in the group of the given number. */
GROUP_FUNCTION(fault) {
    UNUSED;
    const struct { uint64_t group; volatile char *address; } *p = args;
    if (x + launch->num_groups[0] * y == p->group)
        *p->address = 1;
}

/* Takes the given time. */
GROUP_FUNCTION(spin) {
    UNUSED;
    const uint64_t *nanoseconds = args;
    uint64_t begin = weft_now();
    while (weft_now() - begin < *nanoseconds)
        weft_pause();
}

GROUP_FUNCTION(forever) {
    UNUSED;
    for (_Atomic int i = 0;; atomic_fetch_add_explicit(&i, 1, memory_order_relaxed))
        weft_pause();
}

/* Prints for ever. */
GROUP_FUNCTION(chatter) {
    UNUSED;
    while (!weft_printf("%2000d\n", "i", 1))
        ;
}

/* Appends `value` to a log. */
GROUP_FUNCTION(record) {
    UNUSED;
    const struct { uint64_t *log; _Atomic uint64_t *length; uint64_t value; } *p = args;
    p->log[atomic_fetch_add(p->length, 1)] = p->value;
}

/* Fills both arenas, looks at them again, and counts what is wrong; keeps the local arena's address. */
GROUP_FUNCTION(arenas) {
    UNUSED;
    const struct { _Atomic uint64_t *errors; _Atomic uint64_t *address; uint64_t local, context; } *p = args;
    unsigned char *blocks[2] = {local, context};
    uint64_t sizes[2] = {p->local, p->context}, wrong = 0;
    for (int i = 0; i < 2; i++) {
        wrong += (uintptr_t)blocks[i] % ARENA_ALIGNMENT != 0;
        memset(blocks[i], (int)(x + 1 + (uint64_t)i), sizes[i]);
    }
    for (int i = 0; i < 2; i++)
        for (uint64_t j = 0; j < sizes[i]; j++)
            wrong += blocks[i][j] != (unsigned char)(x + 1 + (uint64_t)i);
    wrong += (uintptr_t)args % ARENA_ALIGNMENT != 0;
    atomic_fetch_add(p->errors, wrong);
    atomic_store(p->address, (uint64_t)(uintptr_t)local);
}

/* Keeps the most threads that were inside at once, staying for the given time. */
GROUP_FUNCTION(crowd) {
    UNUSED;
    const struct { _Atomic uint64_t *inside, *most; uint64_t nanoseconds; } *p = args;
    uint64_t now = atomic_fetch_add(p->inside, 1) + 1, most = atomic_load(p->most);
    while (now > most && !atomic_compare_exchange_weak(p->most, &most, now))
        ;
    spin(launch, &p->nanoseconds, local, context, x, y, z);
    atomic_fetch_sub(p->inside, 1);
}

/* The id of the thread that ran the group, as pthread_self gives it. */
GROUP_FUNCTION(thread) {
    UNUSED;
    const struct { uint64_t *out; } *p = args;
    p->out[x] = (uint64_t)(uintptr_t)pthread_self();
}

/* What floating-point modes the group sees: the product of two denormal-prone numbers. */
GROUP_FUNCTION(modes) {
    UNUSED;
    const struct { volatile float *numbers; } *p = args;
    p->numbers[2] = p->numbers[0] * p->numbers[1];
}

/* Not a group function: sets the calling thread's modes so that denormals are flushed, or back. */
static void set_modes(void *flush) {
    weft_set_modes(flush ? FLUSHING_MODES : DEFAULT_MODES);
}

/* For native commands: *out = value. */
static void native_store(void *args) {
    const struct { uint64_t *out, value; } *p = args;
    *p->out = p->value;
}

uintptr_t weft_test_function(const char *name) {
    static const struct { const char *name; weft_group_function *function; } functions[] = {
        {"empty", empty}, {"add", add}, {"count", count}, {"visit", visit}, {"spin", spin},
        {"forever", forever}, {"record", record}, {"arenas", arenas}, {"crowd", crowd},
        {"thread", thread}, {"modes", modes}, {"fault", fault}, {"trace", trace}, {"chatter", chatter},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return (uintptr_t)functions[i].function;
    if (!strcmp(name, "set_modes"))
        return (uintptr_t)set_modes;
    return strcmp(name, "native_store") ? 0 : (uintptr_t)native_store;
}
