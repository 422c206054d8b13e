// Whole groups return, though for all the compiler knows some work-items of a group; the others run a loop with
// barriers, of which the counter is kept once.
//! launch: 64 / 16
//! launch: 24 / 8
//! launch: 21 / 7
//! arg a: small_ints(G[0])
//! arg n: G[0] - L[0]
//! arg m: 5
//! arg tile: L[0] * 4
//| for start in range(0, G[0], L[0]):
//|     live = min(L[0], max(0, int(n) - start))
//|     v = a[start:start + live].astype(int64)
//|     for t in range(m):
//|         v = v + v[(arange(live) + t) % live] * (3 * m + t) if live else v
//|     a[start:start + live] = v
__kernel void returning(__global int *a, int n, int m, __local int *tile) {
    int i = get_global_id(0), l = get_local_id(0);
    if (i >= n) return;
    int live = min((int)get_local_size(0), n - (int)get_group_id(0) * (int)get_local_size(0));
    int v = a[i], step = 3 * m;
    for (int t = 0; t < m; t++) {
        tile[l] = v * step;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += tile[(l + t) % live];
        barrier(CLK_LOCAL_MEM_FENCE);
        step++;
    }
    a[i] = v;
}
