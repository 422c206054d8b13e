// Eight iterations, known at compile time, with a barrier in each.
//! launch: 16 / 8
//! arg a: small_ints(16)
//| g = a.reshape(-1, 8)
//| for k in range(8): g[:] = g + g[:, arange(8) ^ k]
kernel void constant_trip_count(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i];
    for (int k = 0; k < 8; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[l ^ k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
