// The barrier is in a function that is called twice, once from a helper.
//! launch: 16 / 8
//! arg a: small_ints(16)
//| g = a.reshape(-1, 8)
//| t = g[:, arange(8) ^ 1]
//| t = t + t[:, ::-1]
//| g[:] = t
int exchange(local int *t, int value, int partner) {
    int l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[partner];
}
int both(local int *t, int value) { return value + exchange(t, value, 7 - get_local_id(0)); }
kernel void in_helper_function(global int *a) {
    local int t[8];
    int i = get_global_id(0);
    int v = exchange(t, a[i], get_local_id(0) ^ 1);
    a[i] = both(t, v);
}
