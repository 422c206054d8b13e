// All work-items take the same case of a switch with barriers, but with different values, which are used behind.
//! launch: 24 / 8
//! arg a: array([0] * 8 + list(range(5, 13)) + [1] * 8, int32)
//| for g in a.reshape(-1, 8):
//|     g[:] = g[::-1] * 10 + g if g[0] > 1 else g + 100 if g[0] == 1 else g - 1
kernel void switch_values_differ(global int *a) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), v = a[i], r;
    t[l] = v;
    switch (v) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE);
        r = t[7 - l] - 1;
        break;
    case 1:
        r = v + 100;
        break;
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
        r = t[7 - l] * 10 + v;
    }
    a[i] = r;
}
