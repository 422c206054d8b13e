/* The text of one call of printf: format.c makes it, for the pool and for the device server. */
#ifndef WEFT_FORMAT_H
#define WEFT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct weft_text {
    char *data;
    size_t length, room;
    bool (*grow)(struct weft_text *text, size_t room); /* NULL: the text has no more room than this */
} weft_text;

/* Appends what a call prints; false if the format was not understood, or there was no room for all of it. */
bool weft_format(weft_text *out, const char *format, const char *types, va_list list);

#endif
