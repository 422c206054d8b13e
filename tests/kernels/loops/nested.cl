// A barrier loop in a barrier loop; both trip counts are arguments.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg n: 3
//! arg m: 2
//| g = a.reshape(-1, 8)
//| for j in range(n):
//|     for k in range(m): g[:] = np.roll(g, -1, axis=1) + j
//|     g[:] = g[:, ::-1] - 1
kernel void nested(global int *a, int n, int m) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[(l + 1) & 7] + j;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[7 - l] - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
