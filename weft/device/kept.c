/* A cache of large freed blocks, for later buffers of similar size.
 *
 * The system clears every page that it hands out, which takes longer than most kernels need for the same memory, and a
 * program that frees a large buffer often allocates a similar one. The system may reclaim the pages of kept blocks
 * (MADV_FREE) if memory runs short.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_FREE
#define MADV_FREE 8
#endif

enum { MOST_BLOCKS = 16, SHARE_OF_MEMORY = 16, MOST_TIMES = 4 };
static const size_t MOST_BYTES = (size_t)1 << 30;

typedef struct kept_block {
    void *address;
    size_t bytes;
} kept_block;

static weft_lock lock;
static kept_block blocks[MOST_BLOCKS]; /* oldest first; guarded by `lock`, like `count` and `total` */
static uint32_t count;
static size_t total;

static size_t limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t share = pages > 0 && page > 0 ? (size_t)pages / SHARE_OF_MEMORY * (size_t)page : 0;
    return share < MOST_BYTES ? share : MOST_BYTES;
}

static void remove_block(uint32_t index) {
    total -= blocks[index].bytes;
    count--;
    for (uint32_t i = index; i < count; i++)
        blocks[i] = blocks[i + 1];
}

/* Takes the smallest kept block of at least `nbytes` that is not much too large; NULL if there is none. The system may
 * still reclaim those of its pages that the caller does not write. */
void *weft_take_kept(size_t nbytes) {
    void *address = NULL;
    uint32_t best = MOST_BLOCKS;
    weft_lock_acquire(&lock);
    for (uint32_t i = 0; i < count; i++)
        if (blocks[i].bytes >= nbytes && blocks[i].bytes / MOST_TIMES <= nbytes &&
            (best == MOST_BLOCKS || blocks[i].bytes <= blocks[best].bytes))
            best = i;
    if (best < MOST_BLOCKS) {
        address = blocks[best].address;
        remove_block(best);
    }
    weft_lock_release(&lock);
    return address;
}

/* Keeps a block of malloc if it is not too large, and frees the oldest blocks that exceed the limits. */
void weft_keep(void *address, size_t nbytes) {
    void *freed[MOST_BLOCKS];
    uint32_t frees = 0;
    size_t most = limit();
    if (nbytes > most) {
        free(address);
        return;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    madvise(address, nbytes / page * page, MADV_FREE); /* fails on old systems; then the pages stay allocated */
    weft_lock_acquire(&lock);
    while (count == MOST_BLOCKS || total + nbytes > most) {
        freed[frees++] = blocks[0].address;
        remove_block(0);
    }
    blocks[count++] = (kept_block){address, nbytes};
    total += nbytes;
    weft_lock_release(&lock);
    while (frees)
        free(freed[--frees]);
}

/* Frees all kept blocks; false if there are none. */
bool weft_free_kept(void) {
    kept_block freed[MOST_BLOCKS];
    weft_lock_acquire(&lock);
    uint32_t frees = count;
    for (uint32_t i = 0; i < count; i++)
        freed[i] = blocks[i];
    count = 0;
    total = 0;
    weft_lock_release(&lock);
    for (uint32_t i = 0; i < frees; i++)
        free(freed[i].address);
    return frees != 0;
}

/* In the child of a fork the list may be inconsistent, so it is discarded. */
void weft_kept_reset(void) {
    atomic_store(&lock.state, 0);
    count = 0;
    total = 0;
}
