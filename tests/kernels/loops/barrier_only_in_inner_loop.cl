// Only the innermost of three loops has a barrier; the middle one also has divergent work.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 20)
//! arg n: 2
//| g = a.reshape(-1, L[0])
//| for j in range(n):
//|     for m in range(2):
//|         extra = g % 3
//|         for k in range(m + 1): g[:] = np.roll(g, -7, axis=1)
//|         g += extra
kernel void barrier_only_in_inner_loop(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int j = 0; j < n; j++)
        for (int m = 0; m < 2; m++) {
            int extra = 0;
            while (extra < v % 3) extra++;
            for (int k = 0; k <= m; k++) {
                t[l] = v;
                barrier(CLK_LOCAL_MEM_FENCE);
                v = t[(l + 7) % items];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            v += extra;
        }
    a[i] = v;
}
