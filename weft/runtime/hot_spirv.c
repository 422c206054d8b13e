/* Checks of SPIR-V modules before they are built: the form of a module, and its specialization constants. Equivalent to
 * `check_frame` and `specialization_constants` in weft/frontend/spirv. */
#define _GNU_SOURCE
#include "hot_internal.h"

#include <string.h>

enum { MAGIC = 0x07230203, HEADER_WORDS = 5, MOST_IDS = 0x3FFFFF, NEWEST_MINOR = 6 };
enum {
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC = 50,
    OP_DECORATE = 71,
    SPEC_ID = 1
};

static uint32_t word_at(const unsigned char *il, size_t index, bool is_swapped) {
    uint32_t word;
    memcpy(&word, il + 4 * index, sizeof word);
    return is_swapped ? __builtin_bswap32(word) : word;
}

bool hot_is_module(const unsigned char *il, size_t bytes) {
    size_t count = bytes / 4;
    if (bytes % 4 || count < HEADER_WORDS)
        return false;
    bool is_swapped = word_at(il, 0, false) == __builtin_bswap32(MAGIC);
    if (word_at(il, 0, is_swapped) != MAGIC)
        return false;
    uint32_t version = word_at(il, 1, is_swapped), bound = word_at(il, 3, is_swapped);
    if (version >> 16 != 1 || version & 0xff || (version >> 8 & 0xff) > NEWEST_MINOR || !bound || bound > MOST_IDS ||
        word_at(il, 4, is_swapped))
        return false;
    for (size_t at = HEADER_WORDS; at < count;) {
        uint32_t length = word_at(il, at, is_swapped) >> 16;
        if (!length || length > count - at)
            return false;
        at += length;
    }
    return true;
}

/* Returns the position of the first instruction, from `at` on, whose operation is in [first, last] and whose word
 * number `place` is `value`; 0 if there is none. */
static size_t find(const unsigned char *il, size_t count, bool is_swapped, size_t at, uint32_t first, uint32_t last,
                   uint32_t place, uint32_t value) {
    while (at < count) {
        uint32_t head = word_at(il, at, is_swapped), length = head >> 16, operation = head & 0xffff;
        if (operation >= first && operation <= last && length > place && word_at(il, at + place, is_swapped) == value)
            return at;
        at += length;
    }
    return 0;
}

size_t hot_constant_size(const unsigned char *il, size_t bytes, uint32_t id) {
    size_t count = bytes / 4;
    bool is_swapped = word_at(il, 0, false) != MAGIC;
    for (size_t at = HEADER_WORDS; (at = find(il, count, is_swapped, at, OP_DECORATE, OP_DECORATE, 2, SPEC_ID));) {
        uint32_t length = word_at(il, at, is_swapped) >> 16;
        uint32_t target = word_at(il, at + 1, is_swapped);
        bool is_same = length > 3 && word_at(il, at + 3, is_swapped) == id;
        size_t constant = is_same ? find(il, count, is_swapped, at, OP_SPEC_TRUE, OP_SPEC, 2, target) : 0;
        if (constant) {
            uint32_t type = word_at(il, constant + 1, is_swapped);
            size_t number = find(il, count, is_swapped, HEADER_WORDS, OP_TYPE_INT, OP_TYPE_FLOAT, 1, type);
            bool has_width = number && word_at(il, number, is_swapped) >> 16 > 2;
            return has_width ? word_at(il, number + 2, is_swapped) / 8 : 1;
        }
        at += length;
    }
    return 0;
}
