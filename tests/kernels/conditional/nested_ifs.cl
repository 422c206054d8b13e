// Conditional barriers inside conditional barriers, in all four combinations.
//! launch: 32 / 8
//! arg a: small_ints(32)
//| for n, g in enumerate(a.reshape(-1, 8)):
//|     if n & 1:
//|         g[:] = np.roll(g, -1)
//|         if n & 2: g[:] = g[::-1] * 2
//|         g += 1
//|     elif n & 2: g[:] = g[arange(8) ^ 4]
kernel void nested_ifs(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i], n = get_group_id(0);
    t[l] = v;
    if (n & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) & 7];
        if (n & 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[7 - l] * 2;
        }
        v += 1;
    } else if (n & 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[l ^ 4];
    }
    a[i] = v;
}
