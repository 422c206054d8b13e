/* Handles, and the calls that never reach Python: launching a prepared kernel, finishing a queue,
 * releasing an event that nobody looked at. docs/runtime.md tells the story.
 *
 * build_hot.py hands the lines between the two cffi marks to cffi as they stand.
 */
#ifndef WEFT_HOT_H
#define WEFT_HOT_H

#include <stddef.h>
#include <stdint.h>

/* cffi begin */
/* The functions of the worker pool, given as addresses, and those of Python that take what is left over. */
typedef struct weft_hot_functions {
    uintptr_t enqueue_ndrange, command_release, command_status, command_wait, queue_finish, queue_flush;
} weft_hot_functions;

typedef struct weft_hot_fallbacks {
    uintptr_t enqueue_ndrange_kernel, set_kernel_arg, finish, wait_for_events, release_event;
    uintptr_t interrupted; /* what to return for a wait that a handler of a signal ended; not of the table */
} weft_hot_fallbacks;

/* An event that Python has not seen: taken over, with its reference to the native command. */
typedef struct weft_hot_event {
    uintptr_t command, queue;
} weft_hot_event;

/* What the client passes for a launch; `given` tells which of the pointers are not NULL. */
typedef struct weft_hot_key {
    uint64_t global_size[3], local_size[3], offset[3];
    uint32_t work_dim, given;
} weft_hot_key;

enum { WEFT_HOT_LOCAL_SIZE = 1, WEFT_HOT_OFFSET = 2 };

/* An argument of a kernel. `size` is 0 for those that only Python sets, `memory` the handle of the memory
 * object whose address the slot holds, 0 for none. */
typedef struct weft_hot_argument {
    uint32_t size, is_memory;
    uintptr_t slot, memory;
} weft_hot_argument;

void weft_hot_start(const weft_hot_functions *functions);
/* The first word of every handle, now and later. */
void weft_hot_set_dispatch(uintptr_t dispatch);
/* The functions that a dispatch table may hold for these entries; they pass on what they cannot do. */
weft_hot_fallbacks weft_hot_install(const weft_hot_fallbacks *python);

/* A handle that no object has; 0: out of memory. A handle that was given back is used again only after
 * thousands of others. */
uintptr_t weft_hot_handle(void);
void weft_hot_give_back(uintptr_t handle);

/* The handle is now that of a queue. */
void weft_hot_bind_queue(uintptr_t handle, uintptr_t queue, uintptr_t context);
/* Events of the queue that Python has not seen. */
uint32_t weft_hot_queue_events(uintptr_t handle);
/* The client has no reference to the queue left: releases of its events are for Python from now on. */
void weft_hot_retire_queue(uintptr_t handle);

/* The handle is now that of a memory object of so many bytes. */
void weft_hot_bind_memory(uintptr_t handle, uintptr_t address, uint64_t size, uintptr_t context);
/* The address of a live memory object; 0: the handle is not one. */
uintptr_t weft_hot_memory(uintptr_t handle);

/* The handle is now that of a kernel of that context, with these arguments. -1: no memory. */
int weft_hot_bind_kernel(uintptr_t handle, uintptr_t context, weft_hot_argument *arguments, uint32_t count);
/* 1: no two of the memory objects among these arguments overlap; 0: they do, or nobody knows their size. */
int weft_hot_disjoint(const weft_hot_argument *arguments, uint32_t count);
/* Keeps a launch that Python has validated. `noalias`: only for memory objects that do not overlap. 0: kept; -1: no
 * room. */
int weft_hot_keep(uintptr_t kernel, uintptr_t queue, const weft_hot_key *key, int noalias, uintptr_t function,
                  const void *launch, size_t launch_bytes, const void *args, size_t args_bytes,
                  size_t local_bytes, size_t context_bytes);
/* All arguments of the kernel are known to be set and alive at `epoch`. */
void weft_hot_confirm(uintptr_t kernel, uint64_t epoch);
uint64_t weft_hot_epoch(void);
/* Forgets the launches of a kernel; it is bound no more. */
void weft_hot_forget(uintptr_t kernel);
/* A memory object is gone: what was confirmed before counts no more. */
void weft_hot_next_epoch(void);
/* Actions that wait for commands to end became `more` (or fewer): finishing a queue is for Python then. */
void weft_hot_waiting(int32_t more);

/* 1: `handle` is an event that Python has not seen, and now Python's; 0: it is not. Its queue counts it
 * until weft_hot_event_met. */
int weft_hot_take_event(uintptr_t handle, weft_hot_event *event);
void weft_hot_event_met(uintptr_t queue);

/* The handles of events that Python has not seen, as many as there is room for, and how many there are. */
uint32_t weft_hot_unmet(uintptr_t *handles, uint32_t room);

/* Has a function called when the process exits, in a program that is not Python's: there Python never ends. 0
 * takes it back, as the end of Python must. */
void weft_hot_at_exit(uintptr_t function);
/* cffi end */

#endif
