// Eight iterations, known at compile time, with a barrier in each.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| g = a.reshape(-1, L[0])
//| for k in range(8): g[:] = g + g[:, (arange(L[0]) ^ k) % L[0]]
kernel void constant_trip_count(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < 8; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[(l ^ k) % items];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
