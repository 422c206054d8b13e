// A kernel says of its own loops that their iterations are parallel: they are no work-item loops for that, and
// the first iteration runs wherever they start.
//! launch: 64 / 16
//! arg a: zeros(2 * G[0], int64)
//! arg start: uint32(2**32 - 16)
//| a[0::2] = range(G[0])
//| a[1::2] = -11 * 4
kernel void parallel_loop_of_kernel(global long *a, uint start) {
    size_t g = get_global_id(0);
    uint i = start;
#pragma clang loop vectorize(assume_safety) unroll(disable)
    do {
        if (i > 40)
            a[2 * g + (i & 1)] = g;
    } while (++i < 64);
    i = start;
#pragma clang loop vectorize(assume_safety) unroll(disable)
    do
        a[2 * g + (~i & 1)] = (long)((ulong)i << 32) + (5L << 32) >> 30;
    while (++i < 64);
}
