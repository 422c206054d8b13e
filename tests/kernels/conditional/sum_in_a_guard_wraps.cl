// An index is a sum of an id and an argument, as is what the guard compares: it wraps in some work-items.
//! launch: 320 / 64
//! launch: 320 / 64 + 1
//! launch: 1000 / 8 + 2
//! sizes: any
//! arg a: zeros(G[0] + 2, int32)
//! arg b: small_ints(G[0] + 2)
//! arg begin: int32(2**31 - 100 if O[0] == 1 else -2)
//! arg end: int32(G[0] - 50)
//| j = (np.arange(O[0], O[0] + G[0]) + begin).astype(np.int32)
//| inside = j[(j >= 0) & (j < end)]
//| a[inside] = b[inside] * 3 + b[5]
kernel void sum_in_a_guard_wraps(global int *a, global const int *b, int begin, int end) {
    int j = get_global_id(0) + begin;
    if (j < end && j >= 0) a[j] = b[j] * 3 + b[5];
}
