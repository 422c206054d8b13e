// A while loop that halves a uniform stride.
//! launch: 64 / 16
//! launch: 4 / 1
//! sizes: 1, 8, 64, (4, 4, 4), 1024
//! arg a: small_ints(G[0])
//! arg out: zeros(N[0], int32)
//! arg t: L[0] * 4
//| out[:] = a.reshape(-1, L[0]).sum(axis=1)
kernel void while_halving(global const int *a, global int *out, local int *t) {
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    uint stride = get_local_size(0) / 2;
    while (stride > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < stride) t[l] += t[l + stride];
        stride >>= 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = t[0];
}
