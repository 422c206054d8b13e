/* Formatting of printf calls of kernels (format.c), for the pool and for the device server. */
#ifndef WEFT_FORMAT_H
#define WEFT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct weft_text {
    char *data;
    size_t length, room;
    bool (*grow)(struct weft_text *text, size_t room); /* provides at least `room` bytes; NULL: the text cannot grow */
} weft_text;

/* Appends the output of a call; false if the format is invalid or there is not enough room. */
bool weft_format(weft_text *out, const char *format, const char *types, va_list list);

#endif
