/* printf of kernels: writes the text of each call to standard output in one piece. */
#include "internal.h"

#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_TEXT = 512 };

static _Atomic uint64_t written, flushed; /* number of calls written, and of those that have been flushed */

/* A text that starts in an inline buffer and moves to the heap when it grows. */
typedef struct growing_text {
    weft_text text;
    char first[SHORT_TEXT];
} growing_text;

static bool grow(weft_text *text, size_t room) {
    char *first = ((growing_text *)text)->first;
    char *grown = realloc(text->data == first ? NULL : text->data, room);
    if (!grown)
        return false;
    if (text->data == first)
        memcpy(grown, first, text->length);
    text->data = grown;
    text->room = room;
    return true;
}

bool weft_print(const char *text, size_t length) {
    bool done = !length || fwrite(text, 1, length, stdout) == length;
    atomic_fetch_add_explicit(&written, 1, memory_order_release);
    return done;
}

/* Called by kernels. 0, or -1 if the format is invalid or the text could not be written. */
int32_t weft_printf(const char *format, const char *types, ...) {
    growing_text out;
    va_list list;
    out.text = (weft_text){out.first, 0, sizeof out.first, grow};
    weft_thread *self = weft_guard();
    va_start(list, types);
    bool done = weft_format(&out.text, format, types, list);
    va_end(list);
    done = weft_print(out.text.data, out.text.length) && done;
    if (out.text.data != out.first)
        free(out.text.data);
    weft_unguard(self);
    return done ? 0 : -1;
}

/* Called before the end of a command is published. */
void weft_printf_flush(void) {
    uint64_t known = atomic_load_explicit(&written, memory_order_acquire);
    if (atomic_load_explicit(&flushed, memory_order_relaxed) == known)
        return;
    fflush(stdout);
    /* Another thread may have stored a larger number in the meantime; then a redundant flush follows. */
    atomic_store_explicit(&flushed, known, memory_order_relaxed);
}

uintptr_t weft_printf_address(void) {
    return (uintptr_t)weft_printf;
}
