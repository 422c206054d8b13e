// All work-items take the same case of a switch with barriers, but with different values, which are used after it.
//! launch: 24 / 8
//! sizes: any
//! arg a: concatenate([zeros(L[0]), arange(5, 5 + L[0]), ones(L[0])]).astype(int32)
//| for g in a.reshape(-1, L[0]):
//|     g[:] = g[::-1] * 10 + g if g[0] > 1 else g + 100 if g[0] == 1 else g - 1
kernel void switch_values_differ(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), v = a[i], r;
    t[l] = v;
    switch (v) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE);
        r = t[items - 1 - l] - 1;
        break;
    case 1:
        r = v + 100;
        break;
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
        r = t[items - 1 - l] * 10 + v;
    }
    a[i] = r;
}
