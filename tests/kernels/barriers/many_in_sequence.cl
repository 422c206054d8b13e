// Five regions between four barriers.
//! launch: 24 / 8
//! arg a: small_ints(24)
//| for g in a.reshape(-1, 8):
//|     t = g.copy()
//|     u = t[::-1] + t
//|     t = u[arange(8) ^ 1] * 3
//|     u = t[arange(8) ^ 2] - 1
//|     g[:] = u + t
kernel void many_in_sequence(global int *a) {
    local int t[8], u[8];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    u[l] = t[7 - l] + t[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = u[l ^ 1] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    u[l] = t[l ^ 2] - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = u[l] + t[l];
}
