/* The work of commands: division into chunks, distribution of chunks to threads, and execution.
 *
 * Each slot of a command holds a contiguous range of chunks. A thread takes chunks from the front of its home slot, so
 * that it tends to access the same memory from one command to the next. When that slot is empty, it takes chunks from
 * the back of the others.
 */
#include "internal.h"
#include "groups.h"
#include "modes.h"
#include "sub_groups.h"

#include <string.h>

enum {
    CHUNKS_PER_THREAD = 32, /* limits the imbalance at the end to a few percent */
    CHUNK_NS = 4000,        /* a chunk should take much longer than the atomic operation that takes it */
    ALONE_NS = 10000,       /* shorter work is done before a second thread would be awake */
    SHARE_NS = 5000,
    URGENT_NS = 100000,
    LONG_NS = 1000000,
    TABLE_SIZE = 1024,
};

/* Makes a plan. `unit_ns` is the time that a unit takes, or 0 if unknown. */
weft_plan weft_make_plan(const weft_pool *pool, uint64_t units, double unit_ns, uint64_t least_grain) {
    weft_plan plan = {units, units, units != 0, 0, 1, false};
    double total_ns = unit_ns * (double)units;
    bool known = unit_ns > 0;
    plan.urgent = total_ns >= URGENT_NS;
    if (units < 2 || pool->limit < 2)
        return plan;
    uint64_t most = units / (least_grain ? least_grain : 1);
    uint64_t chunks = (uint64_t)pool->limit * CHUNKS_PER_THREAD;
    if (known) {
        /* At least a few chunks, so that other threads can help if the work takes longer than estimated. */
        double by_time = total_ns / CHUNK_NS;
        if (by_time < 4)
            by_time = 4;
        if (by_time < (double)chunks)
            chunks = (uint64_t)by_time;
    }
    if (chunks > most)
        chunks = most;
    if (chunks < 2)
        return plan;
    plan.grain = (units + chunks - 1) / chunks;
    plan.chunks = (uint32_t)((units + plan.grain - 1) / plan.grain);
    if (plan.chunks < 2)
        return plan;
    uint32_t threads = plan.chunks < pool->limit ? plan.chunks : pool->limit;
    plan.slots = threads < MAX_SLOTS ? threads : MAX_SLOTS;
    plan.wanted = threads;
    if (known && total_ns < ALONE_NS)
        plan.wanted = 1;
    else if (known && 1 + total_ns / SHARE_NS < threads)
        plan.wanted = 1 + (uint32_t)(total_ns / SHARE_NS);
    return plan;
}

/* The time that a work-item of a work-group function takes. Upper half of an entry: a tag of the address; lower half:
 * the time in 1/1024 ns. It is an estimate for the division into chunks and for wake-ups only, so collisions are
 * harmless. */
static _Atomic uint64_t table[TABLE_SIZE];

static uint64_t hash(uintptr_t function) {
    return (uint64_t)function * 0x9E3779B97F4A7C15u;
}

static uint32_t known_cost(uint64_t key) {
    uint64_t entry = atomic_load_explicit(&table[key >> 54], memory_order_relaxed);
    return entry >> 32 == (uint32_t)key ? (uint32_t)entry : 0;
}

double weft_item_ns(uintptr_t function) {
    return (double)known_cost(hash(function)) / 1024;
}

void weft_learn(uintptr_t function, uint64_t elapsed_ns, double items) {
    if (items < 1)
        return;
    uint64_t key = hash(function), old = known_cost(key);
    double cost = (double)elapsed_ns * 1024 / items + 1;
    if (old)
        cost = ((double)old * 3 + cost) / 4;
    uint64_t new = cost < (double)UINT32_MAX ? (uint64_t)cost : UINT32_MAX;
    if (new != old)
        atomic_store_explicit(&table[key >> 54], (uint64_t)(uint32_t)key << 32 | new, memory_order_relaxed);
}

/* Takes a chunk; false if none is left. */
bool weft_take_chunk(weft_command *command, uint32_t home, uint32_t *chunk) {
    for (uint32_t i = 0; i < command->slots; i++) {
        if (weft_take_from(&command->slot[(home + i) % command->slots].range, i == 0, chunk))
            return true;
    }
    return false;
}

bool weft_has_chunks(const weft_command *command) {
    for (uint32_t i = 0; i < command->slots; i++) {
        uint64_t range = atomic_load_explicit(&command->slot[i].range, memory_order_relaxed);
        if ((uint32_t)range < (uint32_t)(range >> 32))
            return true;
    }
    return false;
}

void weft_group_place(const weft_launch *launch, uint64_t group, uint64_t at[3]) {
    weft_place found = weft_locate(launch, group);
    at[0] = found.x, at[1] = found.y, at[2] = found.z;
}

static void run_groups(weft_command *command, weft_thread *self, uint64_t group, uint64_t count) {
    weft_group_function *function = (weft_group_function *)command->function;
    const weft_launch *launch = &command->launch;
    weft_place at = weft_locate(launch, group);
    atomic_store_explicit(&self->running, command, memory_order_relaxed);
    for (; count && !weft_is_stopping(); count--) {
        atomic_store_explicit(&self->group, group, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        function(launch, command->args, self->local, self->context, at.x, at.y, at.z);
        group++;
        if (++at.x < at.right)
            continue;
        at.x = at.left;
        if (++at.y == at.bottom && count > 1)
            at = weft_locate(launch, group);
    }
    atomic_store_explicit(&self->running, NULL, memory_order_relaxed);
}

/* Like run_groups; in an interruptible thread, a signal handler may leave the kernel by a jump. */
static void run_until_interrupted(weft_command *command, weft_thread *self, uint64_t group, uint64_t count) {
    if (!self->interruptible) {
        run_groups(command, self, group, count);
        return;
    }
    /* The program may have set a new handler since the last check. Check before long kernels only: it takes up to a
     * microsecond for each signal. */
    double item_ns = weft_item_ns(command->function);
    if (item_ns == 0 || item_ns * weft_items(&command->launch) * (double)count > LONG_NS)
        weft_interrupts_install();
    if (!sigsetjmp(self->leave, 0)) {
        atomic_store_explicit(&self->can_leave, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        run_groups(command, self, group, count);
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&self->can_leave, 0, memory_order_relaxed);
    } else {
        weft_end_sub_groups();
        atomic_store(&self->running, NULL);
        atomic_store(&command->error, OUT_OF_RESOURCES);
    }
}

typedef struct weft_work {
    weft_command *command;
    weft_thread *self;
    uint64_t group, count;
} weft_work;

static void run_work(void *argument) {
    weft_work *work = argument;
    /* A host thread may have other rounding or denormal modes, which must not affect kernels. */
    uint64_t modes = weft_modes();
    if (weft_are_default(modes)) {
        run_until_interrupted(work->command, work->self, work->group, work->count);
        return;
    }
    weft_set_modes(DEFAULT_MODES);
    run_until_interrupted(work->command, work->self, work->group, work->count);
    weft_set_modes(modes);
}

/* Several threads may fail the same command; the first one tells. */
static void fail_without_memory(weft_command *command, const char *what) {
    int32_t none = 0;
    if (atomic_compare_exchange_strong(&command->error, &none, OUT_OF_RESOURCES))
        weft_tell_failure(command, what);
}

static void run_ndrange(weft_command *command, weft_thread *self, uint64_t group, uint64_t count) {
    weft_work work = {command, self, group, count};
    if (!weft_grow_arena(&self->local, &self->local_bytes, command->local_bytes))
        fail_without_memory(command, "out of memory for its local memory");
    else if (!weft_grow_arena(&self->context, &self->context_bytes, command->context_bytes))
        fail_without_memory(command, "out of memory for private variables across barriers");
    else if (weft_has_room(self))
        run_work(&work);
    else if (!weft_call_on_own_stack(self, run_work, &work))
        fail_without_memory(command, "out of memory for its stack");
}

static void copy_rows(const weft_command *command, uint64_t row, uint64_t count) {
    const weft_rect *rect = &command->rect;
    uint64_t height = rect->region[1], y = row % height, z = row / height;
    for (; count; count--) {
        memcpy((void *)(command->dst + z * rect->dst_slice_pitch + y * rect->dst_row_pitch),
               (const void *)(command->src + z * rect->src_slice_pitch + y * rect->src_row_pitch),
               rect->region[0]);
        if (++y == height) {
            y = 0;
            z++;
        }
    }
}

static void fill_patterns(const weft_command *command, uint64_t first, uint64_t count) {
    enum { BLOCK = 4096 };
    size_t size = command->args_bytes, total = count * size;
    char *dst = (char *)(command->dst + first * size);
    if (size == 1) {
        memset(dst, command->pattern[0], total);
        return;
    }
    /* The first block grows by doubling; then it is copied repeatedly, always from the cache. */
    size_t done = size;
    memcpy(dst, command->pattern, size);
    while (done < total) {
        size_t piece = done < BLOCK ? done : BLOCK / size * size;
        if (piece > total - done)
            piece = total - done;
        memcpy(dst + done, dst, piece);
        done += piece;
    }
}

/* Runs one chunk, unless the command has failed already. */
void weft_run_chunk(weft_command *command, weft_thread *self, uint32_t chunk) {
    if (atomic_load_explicit(&command->error, memory_order_relaxed))
        return;
    uint64_t first = chunk * command->grain, count = command->units - first;
    if (count > command->grain)
        count = command->grain;
    switch (command->kind) {
    case KIND_NDRANGE:
        if (command->pool->remote)
            weft_remote_run(command->pool->remote, command, self);
        else if (command->pool->simulation)
            weft_simulation_run(command->pool->simulation, command, self);
        else
            run_ndrange(command, self, first, count);
        break;
    case KIND_COPY:
        memmove((void *)(command->dst + first), (const void *)(command->src + first), count);
        break;
    case KIND_COPY_RECT:
        copy_rows(command, first, count);
        break;
    case KIND_FILL:
        fill_patterns(command, first, count);
        break;
    case KIND_NATIVE:
        ((void (*)(void *))command->function)(command->args);
        break;
    }
}
