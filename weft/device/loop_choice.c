/* Selects which version of a work-item loop runs (transform/simd/loop_choice.py has the code that calls this,
 * weft/abi.py the layout of records). Threads access a record without a lock: a sample may be lost, and all
 * versions compute the same. */
#include "loop_choice.h"

#include "pool.h"

#include <stdbool.h>
#include <string.h>

/* Words of a record. From FIRST on each version has FIELDS: its calls, the work-items and cycles of its median
 * part, and those of all PARTS, over which its calls are spread. */
#define STRATEGY 0
#define SINCE 6
#define BEFORE 7
#define FIRST 8
#define PARTS 5
#define FIELDS (3 + 2 * PARTS)
/* Each version is called more often than CALLS, and BUDGET cycles are measured in all, unless calls take nothing. */
#define CALLS PARTS
#define BUDGET (1 << 20)
#define MOST_CALLS 256
/* A version with parts of ENOUGH cycles is given up if the best is HOPELESS times as fast and has such parts too. */
#define ENOUGH (1 << 13)
#define HOPELESS 2
/* A call of so many cycles was interrupted by the system if it took OUTLIER times as long as others. */
#define INTERRUPTED (1 << 20)
#define OUTLIER 8
/* Versions are tried again after REST times the launches that trying took, soon because the first launches find
 * cold caches; after twice as many each time that nothing has changed. */
#define REST 4
#define MOST_DOUBLINGS 10
#define MOST_LAUNCHES (1 << 16)
/* A version must be faster than the one before by a twentieth. */
#define BETTER 20

typedef volatile uint64_t word;

static word *times_of(word *record, uint64_t version) { return record + FIRST + FIELDS * version; }

/* Whether version a takes more than `factor` times as long for a work-item as version b. */
static bool is_slower(word *record, uint64_t a, uint64_t factor, uint64_t b) {
    word *slow = times_of(record, a), *fast = times_of(record, b);
    return slow[2] * fast[1] > factor * fast[2] * slow[1];
}

/* The fastest version of those that were measured, from 0. */
static uint64_t fastest_version(word *record, uint64_t count) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < count; i++)
        if (times_of(record, i)[1] && (!times_of(record, best)[1] || is_slower(record, best, 1, i)))
            best = i;
    return best;
}

/* Whether all parts of a version, so also those that nothing interrupted, are too slow. */
static bool is_given_up(word *record, uint64_t version, uint64_t best) {
    word *times = times_of(record, version), *parts = times + 3, *least = times_of(record, best);
    if (times[0] < 3 || times[2] < ENOUGH)
        return false;
    uint64_t factor = least[2] < ENOUGH ? OUTLIER : HOPELESS;
    for (uint64_t i = 0; i < PARTS; i++) {
        uint64_t items = parts[2 * i], cycles = parts[2 * i + 1];
        if (items && cycles * least[1] <= factor * least[2] * items)
            return false;
    }
    return true;
}

/* Makes the median part of a version, by the cycles of a work-item, its time. */
static void take_median(word *times) {
    word *parts = times + 3;
    uint64_t measured = 0;
    for (uint64_t i = 0; i < PARTS; i++)
        measured += parts[2 * i] != 0;
    for (uint64_t i = 0; i < PARTS; i++) {
        uint64_t items = parts[2 * i], cycles = parts[2 * i + 1], faster = 0;
        for (uint64_t j = 0; j < PARTS; j++) {
            uint64_t other = parts[2 * j + 1] * items, own = cycles * parts[2 * j];
            faster += parts[2 * j] && (other < own || (other == own && j < i));
        }
        if (items && faster == (measured - 1) / 2) {
            times[1] = items;
            times[2] = cycles;
        }
    }
}

uint64_t weft_strategy_to_try(word *record, uint64_t count) {
    uint64_t best = fastest_version(record, count), least = best;
    for (uint64_t i = 0; i < count; i++)
        if (times_of(record, i)[0] < times_of(record, least)[0] && !is_given_up(record, i, best))
            least = i;
    return least + 1;
}

void weft_strategy_tried(word *record, uint64_t count, uint64_t strategy, uint64_t items, uint64_t cycles) {
    word *times = times_of(record, strategy - 1);
    uint64_t calls = times[0], before = (uint32_t)record[BEFORE];
    times[0] = calls + 1;
    /* The first call ever loads code and data. */
    if (calls == 0 && before == 0)
        return;
    if (times[1] && cycles > INTERRUPTED && cycles * times[1] > OUTLIER * times[2] * items)
        return;
    word *part = times + 3 + calls % PARTS * 2;
    part[0] += items;
    part[1] += cycles;
    take_median(times);
    uint64_t total = 0, best = fastest_version(record, count), least = MOST_CALLS;
    for (uint64_t i = 0; i < count; i++) {
        word *other = times_of(record, i);
        total += other[2] * PARTS;
        if (!is_given_up(record, i, best) && other[0] < least)
            least = other[0];
    }
    if (least <= CALLS || (total < BUDGET && least < MOST_CALLS))
        return;
    uint64_t doublings = record[BEFORE] >> 32, launches = (uint32_t)record[SINCE];
    if (before && best != before - 1) {
        word *now = times_of(record, best), *then = times_of(record, before - 1);
        if (!(then[2] * now[1] * (BETTER - 1) > now[2] * then[1] * BETTER))
            best = before - 1;
    }
    doublings = best + 1 != before ? 0 : doublings < MOST_DOUBLINGS ? doublings + 1 : doublings;
    uint64_t rest = launches < MOST_LAUNCHES ? (launches + 1) * REST << doublings : 0xffffffffu;
    record[SINCE] = rest << 32;
    record[BEFORE] = doublings << 32 | (best + 1);
    record[STRATEGY] = best + 1;
}

void weft_loop_launched(word *record, uint64_t count) {
    uint64_t since = record[SINCE] + 1;
    record[SINCE] = since;
    if (record[STRATEGY] == 0 || (uint32_t)since < since >> 32)
        return;
    for (uint64_t i = 0; i < count * FIELDS; i++)
        record[FIRST + i] = 0;
    record[SINCE] = 0;
    record[STRATEGY] = 0;
}

uintptr_t weft_loop_function(const char *name) {
    static const struct { const char *name; uintptr_t address; } functions[] = {
        {"weft_strategy_to_try", (uintptr_t)weft_strategy_to_try},
        {"weft_strategy_tried", (uintptr_t)weft_strategy_tried},
        {"weft_loop_launched", (uintptr_t)weft_loop_launched},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    return 0;
}
