/* Queries and reference counts after Python has shut down, until the end of the process.

   When Python shuts down, it leaves one snapshot: the objects of which clients have handles, and the results of
   all queries about them. The functions here need no Python, take no locks and cannot fail for lack of memory. */
#ifndef WEFT_ENDED_H
#define WEFT_ENDED_H

#include <stddef.h>
#include <stdint.h>

/* Sorted by handle. */
struct weft_ended_object {
    uint64_t handle;
    uint32_t references;
    uint32_t counted; /* 0: a root device, which is not reference-counted */
};

/* Sorted by handle, family, about and param. `family` is the index of the query in the dispatch table; `about` is
   its second parameter, a device or the index of an argument, if it has one. A `code` of 1 means that the value
   is the reference count; a negative one is the error code of the query. */
struct weft_ended_answer {
    uint64_t handle, about;
    uint32_t family, param;
    int32_t code;
    uint32_t size;
    uint64_t offset; /* of the value in the bytes */
};

/* Keeps a copy of the snapshot; later ones are ignored. */
void weft_ended_keep(const struct weft_ended_object *objects, size_t object_count,
                     const struct weft_ended_answer *answers, size_t answer_count, const void *bytes, size_t size);

/* Adds 1 or -1 to the reference count of an object; ignores unknown handles. */
void weft_ended_count(uintptr_t handle, int by);

/* Answers a query; `invalid` is the error code for an unknown handle. */
int32_t weft_ended_query(uint32_t family, uintptr_t handle, uint64_t about, uint32_t param, size_t room, uintptr_t value,
                         size_t *size, int32_t invalid);

/* The handle of an event that is complete; for commands that end when they are enqueued. */
uintptr_t weft_ended_event(void **dispatch);

#endif
