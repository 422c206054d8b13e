"""In the manner of AMD's APP SDK: searching and sorting."""

import numpy as np

from bench.case import Case, Launch, Local, case

SEARCH = """
// Each work-item looks after one segment of the sorted array: the one that holds the key reports its bounds.
__kernel void search_segments(__global uint4 *result, __global const uint *sorted, uint segment, uint key) {
    uint i = get_global_id(0);
    uint low = i * segment, high = low + segment - 1;
    if (sorted[low] > key || sorted[high] < key)
        return;
    result[0] = (uint4)(low, high, key, 1);
}

__kernel void search_keys(__global const uint *sorted, __global const uint *keys, __global uint *places,
                          uint count) {
    size_t i = get_global_id(0);
    uint key = keys[i], low = 0, high = count;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    places[i] = low;
}
"""


def _sorted(random: np.random.Generator, count: int) -> np.ndarray:
    return np.cumsum(random.integers(1, 16, count)).astype(np.uint32)


@case("amd/BinarySearch/segments", sizes={"count": 2**23}, small={"count": 2**12})
def search_segments(random: np.random.Generator, count: int, segment: int = 16) -> Case:
    """One pass of a search that divides an array into one segment per work-item."""
    array = _sorted(random, count)
    place = count // 3
    low = place // segment * segment
    arguments = ("result", "sorted", np.uint32(segment), array[place])
    expected = np.array([low, low + segment - 1, array[place], 1], np.uint32)
    return Case(
        SEARCH,
        [Launch("search_segments", arguments, (count // segment,), (256,))],
        {"result": np.zeros(4, np.uint32), "sorted": array},
        {"result": expected},
    )


@case("amd/BinarySearch/keys", sizes={"count": 2**16, "keys": 2**17}, small={"count": 2**10, "keys": 2**9})
def search_keys(random: np.random.Generator, count: int, keys: int) -> Case:
    """One binary search per work-item."""
    array = _sorted(random, count)
    wanted = random.integers(0, int(array[-1]), keys, dtype=np.uint32)
    return Case(
        SEARCH,
        [Launch("search_keys", ("sorted", "keys", "places", np.uint32(count)), (keys,), (256,))],
        {"sorted": array, "keys": wanted, "places": np.zeros_like(wanted)},
        {"places": np.searchsorted(array, wanted).astype(np.uint32)},
    )


BITONIC = """
// One pass: work-item i compares a pair that is `1 << distance` apart.
__kernel void bitonic(__global uint *keys, uint stage, uint distance, uint increasing) {
    uint i = get_global_id(0);
    uint reach = 1u << distance;
    uint left = i % reach + i / reach * 2 * reach;
    uint right = left + reach;
    uint a = keys[left], b = keys[right];
    bool up = ((i >> stage) & 1) == 0 ? increasing : 1 - increasing;
    uint smaller = a < b ? a : b, greater = a < b ? b : a;
    keys[left] = up ? smaller : greater;
    keys[right] = up ? greater : smaller;
}
"""


@case("amd/BitonicSort", sizes={"log_count": 15}, small={"log_count": 10})
def bitonic_sort(random: np.random.Generator, log_count: int) -> Case:
    """A complete sort, one launch per pass."""
    keys = random.integers(0, 2**32, 2**log_count, dtype=np.uint32)
    passes = [(stage, distance) for stage in range(log_count) for distance in range(stage, -1, -1)]
    launches = [
        Launch(
            "bitonic",
            ("keys", np.uint32(stage), np.uint32(distance), np.uint32(1)),
            (len(keys) // 2,),
            (256,),
        )
        for stage, distance in passes
    ]
    return Case(BITONIC, launches, {"keys": keys}, {"keys": np.sort(keys)}, restore=("keys",))


RADIX = """
#define DIGITS 256
#define SHARE 256   // the keys of one work-item

// Each work-item counts its own keys by digit, in its own row of local memory.
__kernel void count_digits(__global const uint *keys, __global uint *counts, uint shift,
                           __local ushort *bins) {
    uint lid = get_local_id(0), item = get_global_id(0);
    for (uint d = 0; d < DIGITS; d++)
        bins[lid * DIGITS + d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SHARE; k++) {
        uint digit = (keys[item * SHARE + k] >> shift) & (DIGITS - 1);
        bins[lid * DIGITS + digit]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < DIGITS; d++)
        counts[item * DIGITS + d] = bins[lid * DIGITS + d];
}

// Each work-item puts its keys where the scan of the counts says that those of a digit begin.
__kernel void permute(__global const uint *keys, __global const uint *starts, __global uint *result,
                      uint shift, __local uint *next) {
    uint lid = get_local_id(0), item = get_global_id(0);
    for (uint d = 0; d < DIGITS; d++)
        next[lid * DIGITS + d] = starts[item * DIGITS + d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SHARE; k++) {
        uint key = keys[item * SHARE + k];
        uint digit = (key >> shift) & (DIGITS - 1);
        uint place = next[lid * DIGITS + digit];
        result[place] = key;
        next[lid * DIGITS + digit] = place + 1;
    }
}
"""
SHARE, DIGITS, SHIFT = 256, 256, 8


def _digit_counts(keys: np.ndarray) -> np.ndarray:
    digits = (keys >> SHIFT & (DIGITS - 1)).reshape(-1, SHARE)
    counts = np.zeros((len(digits), DIGITS), np.uint32)
    np.add.at(counts, (np.arange(len(digits))[:, None], digits), 1)
    return counts


@case("amd/RadixSort/histogram", sizes={"items": 2048}, small={"items": 64})
def radix_histogram(random: np.random.Generator, items: int, group: int = 64) -> Case:
    """The first half of a pass: count each of 256 digits in the keys of a work-item."""
    keys = random.integers(0, 2**32, items * SHARE, dtype=np.uint32)
    counts = _digit_counts(keys)
    arguments = ("keys", "counts", np.uint32(SHIFT), Local(2 * DIGITS * group))
    launch = Launch("count_digits", arguments, (items,), (group,))
    return Case(RADIX, [launch], {"keys": keys, "counts": np.zeros_like(counts)}, {"counts": counts})


@case("amd/RadixSort/permute", sizes={"items": 2048}, small={"items": 32})
def radix_permute(random: np.random.Generator, items: int, group: int = 16) -> Case:
    """The second half: move keys to the positions determined by the counts."""
    keys = random.integers(0, 2**32, items * SHARE, dtype=np.uint32)
    counts = _digit_counts(keys)
    before = np.cumsum(counts.T.ravel()) - counts.T.ravel()
    starts = np.ascontiguousarray(before.reshape(DIGITS, items).T).astype(np.uint32)
    order = np.argsort(keys >> SHIFT & (DIGITS - 1), kind="stable")
    arguments = ("keys", "starts", "result", np.uint32(SHIFT), Local(4 * DIGITS * group))
    return Case(
        RADIX,
        [Launch("permute", arguments, (items,), (group,))],
        {"keys": keys, "starts": starts, "result": np.zeros_like(keys)},
        {"result": keys[order]},
    )
