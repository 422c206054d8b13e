// Conditional barriers inside conditional barriers, in all four combinations.
//! launch: 32 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| for n, g in enumerate(a.reshape(-1, L[0])):
//|     if n & 1:
//|         g[:] = np.roll(g, -1)
//|         if n & 2: g[:] = g[::-1] * 2
//|         g += 1
//|     elif n & 2: g[:] = g[(arange(L[0]) ^ 4) % L[0]]
kernel void nested_ifs(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], n = get_group_id(0);
    t[l] = v;
    if (n & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + 1) % items];
        if (n & 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = t[items - 1 - l] * 2;
        }
        v += 1;
    } else if (n & 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l ^ 4) % items];
    }
    a[i] = v;
}
