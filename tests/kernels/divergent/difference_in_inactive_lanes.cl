// Two numbers that are both incremented: their difference is uniform. If the first lane is inactive,
// that difference overflows there, from a number below 2^31 and one above it, but not in the active lanes.
//! launch: 74 / 37
//! arg a: small_ints(G[0])
//! arg start: 2**31 - 8
//! arg n: 12
//! arg b: zeros(G[0], int32)
//| for i, v in enumerate(a.tolist()):
//|     behind = sum(i + 4 * j >= 8 for j in range(n))
//|     b[i] = behind * (7 if v > -100 else 0)
kernel void difference_of_idle_lanes(global const int *a, uint start, int n, global int *b) {
    int i = get_global_id(0), found = 0;
    int x = (int)(start + i), y = (int)(start + i + 5);
    for (int j = 0; j < n; j++) {
        if (x < 0 && a[i] > -100) {
            int difference = y - x;
            // A comparison with 0, which is known when the kernel is compiled for a local size.
            found += difference > (int)get_local_size(0) - 37 ? 7 : 1;
        }
        x = (int)((uint)x + 4);
        y = (int)((uint)y + 4);
    }
    b[i] = found;
}
