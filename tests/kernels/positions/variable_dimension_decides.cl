// A group id in a dimension known at run time decides over a barrier.
//! launch: (8, 2) / (4, 1)
//! sizes: (1, 1), (3, 1), (8, 1), (64, 1), (1024, 1)
//! arg d: 1
//! arg a: small_ints((2, G[0]))
//| a.reshape(2, 2, L[0])[1] = a.reshape(2, 2, L[0])[1][:, ::-1].copy()
kernel void variable_dimension_decides(uint d, global int *a) {
    local int t[1024];
    int l = get_local_id(0), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    if (get_group_id(d)) {
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[get_local_size(0) - 1 - l];
    }
}
