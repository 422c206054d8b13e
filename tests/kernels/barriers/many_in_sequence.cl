// Five regions between four barriers.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| for g in a.reshape(-1, L[0]):
//|     t = g.copy()
//|     u = t[::-1] + t
//|     t = u[(arange(L[0]) ^ 1) % L[0]] * 3
//|     u = t[(arange(L[0]) ^ 2) % L[0]] - 1
//|     g[:] = u + t
kernel void many_in_sequence(global int *a) {
    local int t[1024], u[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    u[l] = t[items - 1 - l] + t[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = u[(l ^ 1) % items] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    u[l] = t[(l ^ 2) % items] - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = u[l] + t[l];
}
