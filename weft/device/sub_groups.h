/* What work-group functions call whose sub-groups may wait for one another; sub_groups.c has the design. */
#ifndef WEFT_SUB_GROUPS_H
#define WEFT_SUB_GROUPS_H

#include <stdint.h>

#include "pool.h"

typedef struct weft_thread weft_thread;

/* A work-group begins, or goes on in a new stack: 1. It is run by `function` with these arguments. `next` is the
 * first work-item of the next sub-group to run, `items` the number of work-items. From `stacks` on there is one stack of
 * `stack_bytes` for each sub-group but the first. */
int32_t weft_begin_sub_groups(weft_group_function *function, const weft_launch *launch, const void *args, void *local,
                              void *context, uint64_t x, uint64_t y, uint64_t z, const uint32_t *next, uint32_t items,
                              char *stacks, uint64_t stack_bytes);
/* There is no next sub-group. Returns when all have come to a barrier of the work-group, or to the end. */
void weft_await_sub_groups(void);
/* The work-group has ended. */
void weft_end_sub_groups(void);
/* A sub-group has waited for a while: others run. */
void weft_yield(void);

/* What lies between these two must not be left by a jump. */
weft_thread *weft_guard(void);
void weft_unguard(weft_thread *self);

#endif
