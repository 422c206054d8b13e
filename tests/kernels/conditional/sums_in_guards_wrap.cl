// Guards compare sums of an id and arguments, which wrap around in none, in some or in all work-items.
//! launch: 256 / 64
//! launch: 256 / 64 + 3
//! launch: 256 / 64 + 5
//! launch: 256 / 64 + 6
//! launch: 1000 / 8 + 7
//! sizes: any
//! arg b: zeros(G[0] + O[0], int32)
//! arg begin: int32({0: 10, 3: 2**31 - 100, 5: 2**31 - 1, 6: -2**31}.get(O[0], 2**31 - 500))
//! arg step: int32({0: -200, 6: -100}.get(O[0], 90))
//! arg end: int32({0: 200, 6: -2**31 + 77}.get(O[0], 2**31 - 40))
//| g = np.arange(O[0], O[0] + G[0], dtype=np.int64)
//| j = (g + begin).astype(np.int32)
//| k = (g + begin + step).astype(np.int32)
//| b[O[0]:] = np.where((k >= -100) & (j <= end), k, 0)
kernel void sums_in_guards_wrap(global int *b, int begin, int step, int end) {
    int j = get_global_id(0) + begin, k = get_global_id(0) + begin + step;
    if (k >= -100 && j <= end) b[get_global_id(0)] = k;
}
