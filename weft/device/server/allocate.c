/* The server's malloc: it allocates from a static heap, because the server gets no memory from the system once it runs
 * kernels.
 *
 * Memory allocated before the server has started stays allocated. Later, the C library allocates little and for a short
 * time, to print numbers with many digits; that memory is freed at the start of the next launch.
 */
#include "allocate.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { HEAP_BYTES = 16 << 20, GRAIN = 64 };

/* Each block follows its size. */
static _Alignas(GRAIN) unsigned char heap[HEAP_BYTES];
static _Atomic size_t used;
static size_t kept;

static size_t *size_of(void *block) {
    return (size_t *)((unsigned char *)block - sizeof(size_t));
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    if (alignment < GRAIN)
        alignment = GRAIN;
    if (alignment & (alignment - 1) || alignment > HEAP_BYTES || bytes > HEAP_BYTES)
        return NULL;
    size_t all = bytes + alignment + GRAIN, first = atomic_load(&used);
    do
        if (all > HEAP_BYTES - first)
            return NULL;
    while (!atomic_compare_exchange_weak(&used, &first, first + all));
    uintptr_t at = ((uintptr_t)heap + first + sizeof(size_t) + alignment - 1) / alignment * alignment;
    *size_of((void *)at) = bytes;
    return (void *)at;
}

void *malloc(size_t bytes) {
    return aligned_alloc(GRAIN, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
    return aligned_alloc(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    *block = aligned_alloc(alignment, bytes);
    return *block ? 0 : 12;
}

void *calloc(size_t count, size_t bytes) {
    size_t all;
    void *block = __builtin_mul_overflow(count, bytes, &all) ? NULL : malloc(all);
    return block ? memset(block, 0, all) : NULL;
}

void *realloc(void *block, size_t bytes) {
    if (!block)
        return malloc(bytes);
    size_t old = *size_of(block);
    if (bytes <= old)
        return block;
    void *larger = malloc(bytes);
    return larger ? memcpy(larger, block, old) : NULL;
}

void free(void *block) {
    (void)block;
}

void weft_keep_allocations(void) {
    kept = atomic_load(&used);
}

void weft_drop_allocations(void) {
    atomic_store(&used, kept);
}
