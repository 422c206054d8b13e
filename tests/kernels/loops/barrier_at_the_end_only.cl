// The loop's only barrier is its last statement, and the value computed before it is used after the loop.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 4
//| last = a * 0
//| g = a.reshape(-1, L[0])
//| for k in range(n):
//|     last = g + k
//|     g[:] = np.roll(g, -2, axis=1) if k % 2 == 0 else g
//| g += last
kernel void barrier_at_the_end_only(global int *a, int n) {
    local int t[2][1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), last = 0;
    t[0][l] = a[i];
    t[1][l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        int v = t[k & 1][l];
        last = v + k;
        t[~k & 1][l] = (k & 1) ? v : t[k & 1][(l + 2) % items];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = t[n & 1][l] + last;
}
