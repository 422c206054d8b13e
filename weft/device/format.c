/* Formats one call of a kernel's printf.
 *
 * The format is that of OpenCL C: no `*`, `ll`, `L` or `n`; `%v4hlf` prints the elements of a vector, separated by
 * commas. The types of the arguments are given by `types`, which the compiler writes (lower_printf.py), not derived
 * from the format: a format that does not match its arguments prints wrong values, but does not access invalid memory.
 */
#include "format.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_FIELD = 1 << 16, MOST_FLAGS = 8 };

static bool reserve(weft_text *out, size_t more) {
    return out->length + more <= out->room || (out->grow && out->grow(out, (out->length + more) * 2));
}

static bool append(weft_text *out, const char *piece, size_t length) {
    if (!reserve(out, length))
        return false;
    memcpy(out->data + out->length, piece, length);
    out->length += length;
    return true;
}

/* One conversion: `%`, flags, width, precision, vector size, element size, letter. */
typedef struct conversion {
    char flags[MOST_FLAGS + 1];
    int width, precision; /* -1: not given */
    unsigned elements;    /* 1 for scalars */
    int bits;             /* size of an integer element; 0: not given */
    char letter;
} conversion;

static const char *read_number(const char *at, int *number) {
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (*number < LONGEST_FIELD)
            *number = *number * 10 + (*at - '0');
    return at;
}

/* Parses the text after a `%` and returns its end; NULL if it is not a conversion of OpenCL C. */
static const char *read_conversion(const char *at, conversion *found) {
    *found = (conversion){.width = -1, .precision = -1, .elements = 1};
    for (size_t count = 0; *at && strchr("-+ #0", *at); at++)
        if (!strchr(found->flags, *at) && count < MOST_FLAGS)
            found->flags[count++] = *at;
    if (*at >= '1' && *at <= '9')
        at = read_number(at, &found->width);
    if (*at == '.')
        at = read_number(at + 1, &found->precision);
    if (*at == 'v') {
        int elements;
        at = read_number(at + 1, &elements);
        if (elements != 2 && elements != 3 && elements != 4 && elements != 8 && elements != 16)
            return NULL;
        found->elements = (unsigned)elements;
    }
    if (at[0] == 'h' && at[1] == 'h') {
        found->bits = 8;
        at += 2;
    } else if (at[0] == 'h' && at[1] == 'l') {
        found->bits = 32;
        at += 2;
    } else if (at[0] == 'h') {
        found->bits = 16;
        at += 1;
    } else if (at[0] == 'l') {
        found->bits = 64;
        at += 1;
    } else if ((at[0] == 'z' || at[0] == 't') && found->elements == 1 && at[1] && strchr("diouxX", at[1])) {
        found->bits = 64; /* size_t and ptrdiff_t; only for scalar integers */
        at += 1;
    }
    found->letter = *at;
    return *at && strchr("diouxXfFeEgGaAcsp", *at) ? at + 1 : NULL;
}

/* An argument: its kind in `types`, and its value as an integer or a floating-point number. */
typedef struct argument {
    char kind; /* i: 32 bits, l: 64 bits, d: double, p: pointer, 0: no argument */
    uint64_t integer;
    double real;
} argument;

static uint64_t truncated(uint64_t value, int bits, bool is_signed) {
    if (bits >= 64)
        return value;
    uint64_t mask = (UINT64_C(1) << bits) - 1, low = value & mask;
    return is_signed && low >> (bits - 1) ? low | ~mask : low;
}

static bool append_formatted(weft_text *out, const conversion *how, const char *size, argument value) {
    char format[32];
    snprintf(format, sizeof format, "%%%s*.*%s%c", how->flags, size, how->letter);
    int width = how->width < 0 ? 0 : how->width;
    for (int attempt = 0; attempt < 2; attempt++) {
        char *place = out->data + out->length;
        size_t room = out->room - out->length;
        int length;
        if (strchr("di", how->letter))
            length = snprintf(place, room, format, width, how->precision, (long long)value.integer);
        else if (strchr("ouxX", how->letter))
            length = snprintf(place, room, format, width, how->precision, (unsigned long long)value.integer);
        else
            length = snprintf(place, room, format, width, how->precision, value.real);
        if (length < 0)
            return false;
        if ((size_t)length < room) {
            out->length += (size_t)length;
            return true;
        }
        if (!reserve(out, (size_t)length + 1))
            return false;
    }
    return false;
}

/* Appends a character, string or pointer, padded to the width, without C's printf. */
static bool append_padded(weft_text *out, const conversion *how, const char *piece, size_t length) {
    size_t width = how->width < 0 ? 0 : (size_t)how->width, fill = width > length ? width - length : 0;
    bool left = strchr(how->flags, '-') != NULL;
    if (!reserve(out, length + fill))
        return false;
    if (!left)
        for (size_t i = 0; i < fill; i++)
            out->data[out->length++] = ' ';
    memcpy(out->data + out->length, piece, length);
    out->length += length;
    if (left)
        for (size_t i = 0; i < fill; i++)
            out->data[out->length++] = ' ';
    return true;
}

static bool append_string(weft_text *out, const conversion *how, argument value) {
    const char *string = value.kind == 'p' ? (const char *)(uintptr_t)value.integer : NULL;
    if (!string)
        string = "(null)";
    size_t most = how->precision < 0 ? SIZE_MAX : (size_t)how->precision;
    return append_padded(out, how, string, strnlen(string, most));
}

static bool append_element(weft_text *out, const conversion *how, argument value) {
    switch (how->letter) {
    case 'c': {
        char character = (char)value.integer;
        return append_padded(out, how, &character, 1);
    }
    case 's':
        return append_string(out, how, value);
    case 'p': {
        char digits[24];
        int length = snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value.integer);
        return append_padded(out, how, digits, (size_t)length);
    }
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
        int bits = how->bits ? how->bits : value.kind == 'l' && how->elements > 1 ? 64 : 32;
        if (value.kind == 'd')
            value.integer = (uint64_t)(int64_t)value.real;
        value.integer = truncated(value.integer, bits, how->letter == 'd' || how->letter == 'i');
        return append_formatted(out, how, "ll", value);
    }
    default:
        if (value.kind != 'd')
            value.real = (double)(int64_t)value.integer;
        return append_formatted(out, how, "", value);
    }
}

/* The arguments of a call. `types` describes them: "i4dp" is an int, a vector of four doubles, and a pointer. */
typedef struct arguments {
    const char *types;
    unsigned left; /* number of unread elements of the current argument */
    char kind;
    va_list list;
} arguments;

static unsigned next_argument(arguments *from) {
    int count = 1;
    if (*from->types >= '0' && *from->types <= '9')
        from->types = read_number(from->types, &count);
    from->kind = *from->types;
    if (from->kind)
        from->types++;
    from->left = from->kind ? (unsigned)count : 0;
    return from->left;
}

static argument next_element(arguments *from) {
    argument found = {0};
    if (!from->left)
        return found;
    from->left--;
    found.kind = from->kind;
    if (from->kind == 'd')
        found.real = va_arg(from->list, double);
    else if (from->kind == 'i')
        found.integer = (uint64_t)(int64_t)va_arg(from->list, int32_t);
    else
        found.integer = va_arg(from->list, uint64_t);
    return found;
}

static bool format_all(weft_text *out, const char *format, arguments *from) {
    while (*format) {
        size_t plain = strcspn(format, "%");
        if (!append(out, format, plain))
            return false;
        format += plain;
        if (!*format)
            break;
        format++;
        if (*format == '%') {
            if (!append(out, format++, 1))
                return false;
            continue;
        }
        conversion how;
        const char *rest = read_conversion(format, &how);
        if (!rest)
            return false;
        format = rest;
        next_argument(from);
        for (unsigned i = 0; i < how.elements; i++) {
            if (i && !append(out, ",", 1))
                return false;
            if (!append_element(out, &how, next_element(from)))
                return false;
        }
        while (from->left)
            next_element(from);
    }
    return true;
}

bool weft_format(weft_text *out, const char *format, const char *types, va_list list) {
    arguments from = {.types = types};
    va_copy(from.list, list);
    bool done = format_all(out, format, &from);
    va_end(from.list);
    return done;
}
