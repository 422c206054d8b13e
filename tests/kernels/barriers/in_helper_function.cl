// The barrier is in a function that is called twice, once from a helper.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| g = a.reshape(-1, L[0])
//| t = g[:, (arange(L[0]) ^ 1) % L[0]]
//| t = t + t[:, ::-1]
//| g[:] = t
int exchange(local int *t, int value, int partner) {
    int l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[partner];
}
int both(local int *t, int value) { return value + exchange(t, value, get_local_size(0) - 1 - get_local_id(0)); }
kernel void in_helper_function(global int *a) {
    local int t[1024];
    int i = get_global_id(0);
    int v = exchange(t, a[i], (get_local_id(0) ^ 1) % get_local_size(0));
    a[i] = both(t, v);
}
