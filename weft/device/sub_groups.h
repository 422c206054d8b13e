/* Functions called by work-group functions whose sub-groups may wait for one another. sub_groups.c describes the
 * design. */
#ifndef WEFT_SUB_GROUPS_H
#define WEFT_SUB_GROUPS_H

#include <stdint.h>

#include "pool.h"

typedef struct weft_thread weft_thread;

/* Begins a work-group, which `function` runs with these arguments: 0; or 1 if the function has been called again to
 * continue a work-group on a new stack. `*next` is the first work-item of the next sub-group to run, `items` the number
 * of work-items. `stacks` is memory for one stack of `stack_bytes` for each sub-group but the first. */
int32_t weft_begin_sub_groups(weft_group_function *function, const weft_launch *launch, const void *args, void *local,
                              void *context, uint64_t x, uint64_t y, uint64_t z, const uint32_t *next, uint32_t items,
                              char *stacks, uint64_t stack_bytes);
/* Called when there is no next sub-group. Returns when all sub-groups have reached the next barrier of the work-group,
 * or its end. */
void weft_await_sub_groups(void);
/* Ends the work-group. */
void weft_end_sub_groups(void);
/* Called by a sub-group that waits: lets other sub-groups run. */
void weft_yield(void);

/* Code between these two calls must not be left by a jump; see lifecycle.c. */
weft_thread *weft_guard(void);
void weft_unguard(weft_thread *self);

#endif
