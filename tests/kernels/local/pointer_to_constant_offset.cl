// Addresses inside automatic locals that are known at compile time, chosen by a branch.
//! launch: 16 / 8
//! sizes: 8, 64, (7, 5), (4, 4, 4), 1024
//! arg a: small_ints(G[0])
//! arg second: 1
//| for g in a.reshape(-1, L[0]): g[:] = g + (g[5] if second else g[2]) + g[7]
kernel void pointer_to_constant_offset(global int *a, int second) {
    local int t[1024];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    local int *p;
    if (second)
        p = &t[5];
    else
        p = &t[2];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] += *p + t[7];
}
