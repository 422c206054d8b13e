// A work-efficient exclusive prefix sum (Blelloch): up-sweep and down-sweep.
//! launch: 64 / 16
//! sizes: 1, 8, 64, (4, 4, 4), 1024
//! arg a: small_ints(G[0])
//! arg totals: zeros(N[0], int32)
//| g = a.reshape(-1, L[0])
//| totals[:] = g.sum(axis=1)
//| g[:] = cumsum(g, axis=1) - g
kernel void exclusive_scan(global int *a, global int *totals) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    int offset = 1;
    for (int d = items / 2; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        totals[get_group_id(0)] = t[items - 1];
        t[items - 1] = 0;
    }
    for (int d = 1; d < items; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int x = offset * (2 * l + 1) - 1, y = offset * (2 * l + 2) - 1, swap = t[x];
            t[x] = t[y];
            t[y] += swap;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[l];
}
