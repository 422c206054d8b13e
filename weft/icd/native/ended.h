/* What is known of the objects when Python has ended: enough to answer queries to the end of the process.

   Python leaves one snapshot at its end: the objects that clients still have handles of, and what each query
   about them gives. Nothing here needs Python, takes a lock or fails without memory. */
#ifndef WEFT_ENDED_H
#define WEFT_ENDED_H

#include <stddef.h>
#include <stdint.h>

/* Sorted by handle. */
struct weft_ended_object {
    uint64_t handle;
    uint32_t references;
    uint32_t counted; /* 0: a root device, which is not */
};

/* Sorted by handle, family, about and param. `family` is the place of the query in the dispatch table; `about` is
   its second parameter, a device or the index of an argument, if it has one. A `code` of 1 means that the value
   is the reference count, a negative one is what the query gives. */
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

/* Counts a reference to an object more (1) or less (-1); an object that is not known counts nothing. */
void weft_ended_count(uintptr_t handle, int by);

/* Answers a query; `invalid` is the code for a handle that is not that of an object. */
int32_t weft_ended_query(uint32_t family, uintptr_t handle, uint64_t about, uint32_t param, size_t room, uintptr_t value,
                         size_t *size, int32_t invalid);

/* The handle of a command that was over as soon as it was enqueued. */
uintptr_t weft_ended_event(void **dispatch);

#endif
