// Work-items diverge before a barrier and rejoin at it, each with its own value.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| v = where(a > 10, a * 2, where(a < -10, -a, 7)).reshape(-1, L[0])
//| a[:] = (v + v[:, ::-1]).reshape(-1)
kernel void divergent_branch_before(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v;
    if (a[i] > 10)
        v = a[i] * 2;
    else if (a[i] < -10)
        v = -a[i];
    else
        v = 7;
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = v + t[items - 1 - l];
}
