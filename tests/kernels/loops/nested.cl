// A barrier loop in a barrier loop; both trip counts are arguments.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 3
//! arg m: 2
//| g = a.reshape(-1, L[0])
//| for j in range(n):
//|     for k in range(m): g[:] = np.roll(g, -1, axis=1) + j
//|     g[:] = g[:, ::-1] - 1
kernel void nested(global int *a, int n, int m) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[(l + 1) % items] + j;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l] - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
