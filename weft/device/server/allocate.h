/* The server's own malloc, which stands in for that of the C library. */
#ifndef WEFT_ALLOCATE_H
#define WEFT_ALLOCATE_H

#include <stddef.h>

/* What is allocated by now stays. */
void weft_keep_allocations(void);
/* What was allocated since then is free; nobody uses it any more. */
void weft_drop_allocations(void);

void *memalign(size_t alignment, size_t bytes);
void *aligned_alloc(size_t alignment, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);
int posix_memalign(void **block, size_t alignment, size_t bytes);

#endif
