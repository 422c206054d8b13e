// A group id in a dimension known at run time decides over a barrier.
//! launch: (8, 2) / (4, 1)
//! arg d: 1
//! arg a: small_ints((2, 8))
//| a.reshape(2, 2, 4)[1] = a.reshape(2, 2, 4)[1][:, ::-1].copy()
kernel void variable_dimension_decides(uint d, global int *a) {
    local int t[4];
    int l = get_local_id(0), i = get_global_id(1) * 8 + get_global_id(0);
    if (get_group_id(d)) {
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[3 - l];
    }
}
