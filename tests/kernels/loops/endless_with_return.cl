// A loop without a condition, left by a return that all work-items take together.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 3
//| g = a.reshape(-1, L[0])
//| for k in range(n): g[:] = np.roll(g, -1, axis=1) + 1
kernel void endless_with_return(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), k = 0;
    t[l] = a[i];
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k++ == n) {
            a[i] = t[l];
            return;
        }
        int v = t[(l + 1) % items];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v + 1;
    }
}
