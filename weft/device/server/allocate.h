/* The server's malloc, which replaces that of the C library. */
#ifndef WEFT_ALLOCATE_H
#define WEFT_ALLOCATE_H

#include <stddef.h>

/* Makes all current allocations permanent. */
void weft_keep_allocations(void);
/* Frees everything allocated since then; it must not be in use. */
void weft_drop_allocations(void);

void *memalign(size_t alignment, size_t bytes);
void *aligned_alloc(size_t alignment, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);
int posix_memalign(void **block, size_t alignment, size_t bytes);

#endif
