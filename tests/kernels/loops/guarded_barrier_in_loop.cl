// A barrier under a uniform condition in a loop whose trip count is an argument.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 6
//! arg every: 2
//| g = a.reshape(-1, L[0])
//| for k in range(n):
//|     g += k
//|     if k % every == 0: g[:] = g[:, ::-1].copy()
kernel void guarded_barrier_in_loop(global int *a, int n, int every) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < n; k++) {
        v += k;
        if (k % every == 0) {
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[items - 1 - l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    a[i] = v;
}
