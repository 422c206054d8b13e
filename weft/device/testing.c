/* Work-group functions for tests of the pool without the compiler. */
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

/* out[i] = a[i] + b[i] for the work-items of the group. */
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

/* Increments the entry of the group, to detect groups that are lost or run twice. */
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

/* Writes to an address in the group with the given number. */
GROUP_FUNCTION(fault) {
    UNUSED;
    const struct { uint64_t group; volatile char *address; } *p = args;
    if (x + launch->num_groups[0] * y == p->group)
        *p->address = 1;
}

/* Spins for the given time. */
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

/* Fills both arenas, reads them back and counts wrong bytes and alignments; stores the address of the local arena. */
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

/* Records the maximum number of threads that were inside at once; each stays for the given time. */
GROUP_FUNCTION(crowd) {
    UNUSED;
    const struct { _Atomic uint64_t *inside, *most; uint64_t nanoseconds; } *p = args;
    uint64_t now = atomic_fetch_add(p->inside, 1) + 1, most = atomic_load(p->most);
    while (now > most && !atomic_compare_exchange_weak(p->most, &most, now))
        ;
    spin(launch, &p->nanoseconds, local, context, x, y, z);
    atomic_fetch_sub(p->inside, 1);
}

/* Stores the result of pthread_self for the group. */
GROUP_FUNCTION(thread) {
    UNUSED;
    const struct { uint64_t *out; } *p = args;
    p->out[x] = (uint64_t)(uintptr_t)pthread_self();
}

/* Shows the floating-point modes of the group by a product that may be denormal. */
GROUP_FUNCTION(modes) {
    UNUSED;
    const struct { volatile float *numbers; } *p = args;
    p->numbers[2] = p->numbers[0] * p->numbers[1];
}

/* Not a group function: makes the calling thread flush denormals, or resets its modes. */
static void set_modes(void *flush) {
    weft_set_modes(flush ? FLUSHING_MODES : DEFAULT_MODES);
}

/* A native command: *out = value. */
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
