// Only some work-items know which element of their private array they change; the others keep theirs.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 6)
//! arg idx: small_ints(G[0], low=0, high=4)
//! arg n: array([6], int32)
//| h = tile([1, 2, 3, 4], (G[0], 1))
//| for j in range(n[0]):
//|     for i in range(G[0]):
//|         if a[i + j] > 2:
//|             h[i, (idx[i] + j) % 4] += 5
//| out[:] = h @ array([1, 10, 100, 1000])
kernel void index_of_some_work_items(global int *out, global const int *a, global const int *idx,
                                     global const int *n) {
    int gid = get_global_id(0);
    int h[4] = {1, 2, 3, 4};
    for (int j = 0; j < n[0]; j++) {
        if (a[gid + j] > 2) {
            int k = idx[gid];
            h[(k + j) & 3] += 5;
        }
    }
    out[gid] = h[0] + 10 * h[1] + 100 * h[2] + 1000 * h[3];
}
