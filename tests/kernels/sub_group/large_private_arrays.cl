// Sub-groups of four, whose private arrays have room for a column of each lane, but not on the stack: one that is too
// large, or several that are together.
//! options: -cl-std=CL3.0
//! launch: 16 / 8
//! arg a: small_ints(G[0], int32, 0, 60)
//! arg large: 1
//! arg out: zeros(G[0], int32)
//| s = a.reshape(-1, 4).sum(1).repeat(4)
//| out[:] = s + 3 * a + 90
__attribute__((intel_reqd_sub_group_size(4)))
kernel void large_private_arrays(global const int *a, int large, global int *out) {
    int i = get_global_id(0), x = a[i];
    int t[2300];
    for (int k = 0; k < 20; k++)
        t[k * 100 + x] = x + k * large;
    int s = sub_group_reduce_add(t[x]);
    out[i] = s + t[100 * 10 + x] + t[100 * 11 * large + x] + t[large * 1900 + x] + 50;
}
