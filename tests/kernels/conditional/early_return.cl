// Whole groups return before the barrier, and others between two barriers.
//! launch: 40 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg skip: 3
//| g = a.reshape(-1, L[0])
//| for n in range(5):
//|     if n >= skip: continue
//|     if n == 1: g[n] = g[n][::-1] * 2
//|     else: g[n] = g[n][::-1].copy()[(arange(L[0]) ^ 1) % L[0]]
kernel void early_return(global int *a, int skip) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), n = get_group_id(0);
    if (n >= skip) return;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[items - 1 - l];
    if (n == 1) {
        a[i] = v * 2;
        return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[(l ^ 1) % items];
}
