// The trip count is loaded from global memory: all work-items load the same one.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: array([3, 5], int32)
//| for g, m in zip(a.reshape(-1, L[0]), n):
//|     for k in range(m): g[:] = np.roll(g, -1) * 2
kernel void trip_count_from_memory(global int *a, global const int *n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    int count = n[get_group_id(0)];
    for (int k = 0; k < count; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
