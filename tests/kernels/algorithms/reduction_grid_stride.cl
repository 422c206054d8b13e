// A reduction whose work-items first add up elements in strides, for sizes that do not divide.
//! launch: 32 / 16
//! sizes: 1, 8, 64, (4, 4, 4), 1024
//! arg a: small_ints(777)
//! arg n: 777
//! arg out: zeros(2, int32)
//| for g in range(2): out[g] = sum(a[g * L[0] + l::G[0]].sum() for l in range(L[0]))
kernel void reduction_grid_stride(global const int *a, int n, global int *out) {
    local int t[1024];
    int l = get_local_id(0), sum = 0;
    for (int k = get_global_id(0); k < n; k += get_global_size(0)) sum += a[k];
    t[l] = sum;
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}
