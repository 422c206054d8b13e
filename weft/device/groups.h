/* The order of work-groups and their distribution over threads, shared by the pool and the device server. */
#ifndef WEFT_GROUPS_H
#define WEFT_GROUPS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "pool.h"

/* The position of a group in the range, and the bounds of its block. */
typedef struct weft_place {
    uint64_t x, y, z, left, right, bottom;
} weft_place;

static inline uint64_t weft_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The position of a group by its number. Groups are numbered along x, then y, then z. If the launch has blocks, groups
 * are numbered within a block first, along x and y, and blocks in the order of groups. */
static inline weft_place weft_locate(const weft_launch *launch, uint64_t group) {
    uint64_t nx = launch->num_groups[0], ny = launch->num_groups[1], row = group / nx, z = row / ny;
    uint64_t wide = launch->block[0], high = launch->block[1];
    if (!wide)
        return (weft_place){group - row * nx, row - z * ny, z, 0, nx, row - z * ny + 1};
    uint64_t rest = group - z * nx * ny, top = rest / (nx * high) * high, bottom = weft_least(top + high, ny);
    rest -= top * nx;
    uint64_t left = rest / (wide * (bottom - top)) * wide, right = weft_least(left + wide, nx);
    rest -= left * (bottom - top);
    return (weft_place){left + rest % (right - left), top + rest / (right - left), z, left, right, bottom};
}

/* Takes a chunk of a range, whose low end is in the lower half of the word. The owner takes from the front, others from
 * the back. False if the range is empty. Relaxed ordering suffices: what the chunks refer to was published with the
 * command. */
static inline bool weft_take_from(_Atomic uint64_t *range, bool own, uint32_t *chunk) {
    uint64_t old = atomic_load_explicit(range, memory_order_relaxed);
    for (;;) {
        uint32_t low = (uint32_t)old, high = (uint32_t)(old >> 32);
        if (low >= high)
            return false;
        uint64_t new = own ? (uint64_t)high << 32 | (low + 1) : (uint64_t)(high - 1) << 32 | low;
        if (atomic_compare_exchange_weak_explicit(range, &old, new, memory_order_relaxed, memory_order_relaxed)) {
            *chunk = own ? low : high - 1;
            return true;
        }
    }
}

#endif
