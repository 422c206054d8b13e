// Both arms of an if have barriers, one of them two; the condition depends on the group.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if n % 2: g[:] = g[::-1].copy()
//|     else: g[:] = np.roll(np.roll(g, -1) * 2, -1)
//|     g -= 3
kernel void both_arms(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    if (get_group_id(0) & 1) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l];
    } else {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items];
    }
    a[i] = v - 3;
}
