// Single work-items return after the last barrier.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| g = a.reshape(-1, L[0])
//| r = g[:, ::-1]
//| g[:] = where(r < 0, g, r)
kernel void divergent_return_behind_barrier(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = t[items - 1 - l];
    if (v < 0) return;
    a[i] = v;
}
