// Which version of a work-item loop runs (transform/simd/loop_choice.py has the code that asks, weft/abi.py the
// layout of records). Threads run into each other here without a lock: what is lost is a sample, and all
// versions compute the same.
//! called
//! widths: 1
//! __weft_strategy_to_try(ulong*, ulong) __weft_strategy_tried(ulong*, ulong, ulong, ulong, ulong)
//! __weft_loop_launched(ulong*, ulong)

// Fields of a record. From FIRST on each version has FIELDS: its calls, the work-items and cycles of its median
// part, and those of all PARTS, over which its calls are spread.
#define STRATEGY 0
#define SINCE 6
#define BEFORE 7
#define FIRST 8
#define PARTS 5
#define FIELDS (3 + 2 * PARTS)
// Each version is called more often than CALLS, and BUDGET cycles are measured in all, unless calls take nothing.
#define CALLS PARTS
#define BUDGET (1 << 20)
#define MOST_CALLS 256
// A version with parts of ENOUGH cycles is given up if the best is HOPELESS times as quick and has such parts too.
#define ENOUGH (1 << 13)
#define HOPELESS 2
// A call of so many cycles was interrupted by the system if it took OUTLIER times as long as others.
#define INTERRUPTED (1 << 20)
#define OUTLIER 8
// Versions are tried again after REST times the launches that trying took, soon because the first launches find
// cold caches; after twice as many each time that nothing has changed.
#define REST 4
#define MOST_DOUBLINGS 10
#define MOST_LAUNCHES (1 << 16)
// A version must be quicker than the one before by a twentieth.
#define BETTER 20
#define TIMES(version) (r + FIRST + FIELDS * (version))
// Whether version a takes more than `factor` times as long for a work-item as version b.
#define SLOWER(a, factor, b) (TIMES(a)[2] * TIMES(b)[1] > (factor) * TIMES(b)[2] * TIMES(a)[1])

// The quickest version of those that were measured, from 0.
FN ulong weft_quickest_version(volatile AS ulong *r, ulong count) {
    ulong best = 0;
    for (ulong i = 1; i < count; i++)
        if (TIMES(i)[1] && (!TIMES(best)[1] || SLOWER(best, 1, i))) best = i;
    return best;
}

// Whether all parts of a version, so also those that nothing interrupted, are too slow.
FN bool weft_is_given_up(volatile AS ulong *r, ulong version, ulong best) {
    volatile AS ulong *times = TIMES(version), *parts = times + 3;
    if (times[0] < 3 || times[2] < ENOUGH) return false;
    ulong factor = TIMES(best)[2] < ENOUGH ? OUTLIER : HOPELESS;
    for (ulong i = 0; i < PARTS; i++) {
        ulong items = parts[2 * i], cycles = parts[2 * i + 1];
        if (items && cycles * TIMES(best)[1] <= factor * TIMES(best)[2] * items) return false;
    }
    return true;
}

// Makes the median part of a version, by the cycles of a work-item, what the version takes.
FN void weft_take_median(volatile AS ulong *times) {
    volatile AS ulong *parts = times + 3;
    ulong measured = 0;
    for (ulong i = 0; i < PARTS; i++)
        measured += parts[2 * i] != 0;
    for (ulong i = 0; i < PARTS; i++) {
        ulong items = parts[2 * i], cycles = parts[2 * i + 1], quicker = 0;
        for (ulong j = 0; j < PARTS; j++) {
            ulong other = parts[2 * j + 1] * items, this = cycles * parts[2 * j];
            quicker += parts[2 * j] && (other < this || (other == this && j < i));
        }
        if (items && quicker == (measured - 1) / 2) {
            times[1] = items;
            times[2] = cycles;
        }
    }
}

// The version to run next while they are tried, from 1: the one that was called least.
FN ulong weft___weft_strategy_to_try(volatile AS ulong *r, ulong count) {
    ulong best = weft_quickest_version(r, count), least = best;
    for (ulong i = 0; i < count; i++)
        if (TIMES(i)[0] < TIMES(least)[0] && !weft_is_given_up(r, i, best)) least = i;
    return least + 1;
}

// Notes what a call took; when enough is known, the quickest version is settled upon.
FN void weft___weft_strategy_tried(volatile AS ulong *r, ulong count, ulong strategy, ulong items, ulong cycles) {
    volatile AS ulong *times = TIMES(strategy - 1);
    ulong calls = times[0], before = (uint)r[BEFORE];
    times[0] = calls + 1;
    // The first call ever loads code and data.
    if (calls == 0 && before == 0) return;
    if (times[1] && cycles > INTERRUPTED && cycles * times[1] > OUTLIER * times[2] * items) return;
    volatile AS ulong *part = times + 3 + calls % PARTS * 2;
    part[0] += items;
    part[1] += cycles;
    weft_take_median(times);
    ulong total = 0, best = weft_quickest_version(r, count), least = MOST_CALLS;
    for (ulong i = 0; i < count; i++) {
        total += TIMES(i)[2] * PARTS;
        if (!weft_is_given_up(r, i, best) && TIMES(i)[0] < least) least = TIMES(i)[0];
    }
    if (least <= CALLS || (total < BUDGET && least < MOST_CALLS)) return;
    ulong doublings = r[BEFORE] >> 32, launches = (uint)r[SINCE];
    if (before && best != before - 1 && !(TIMES(before - 1)[2] * TIMES(best)[1] * (BETTER - 1) >
                                          TIMES(best)[2] * TIMES(before - 1)[1] * BETTER))
        best = before - 1;
    doublings = best + 1 != before ? 0 : doublings < MOST_DOUBLINGS ? doublings + 1 : doublings;
    ulong rest = launches < MOST_LAUNCHES ? (launches + 1) * REST << doublings : 0xffffffffu;
    r[SINCE] = rest << 32;
    r[BEFORE] = doublings << 32 | (best + 1);
    r[STRATEGY] = best + 1;
}

// Counts a launch; after enough of them the versions are tried again.
FN void weft___weft_loop_launched(volatile AS ulong *r, ulong count) {
    ulong since = r[SINCE] + 1;
    r[SINCE] = since;
    if (r[STRATEGY] == 0 || (uint)since < since >> 32) return;
    for (ulong i = 0; i < count * FIELDS; i++)
        r[FIRST + i] = 0;
    r[SINCE] = 0;
    r[STRATEGY] = 0;
}
