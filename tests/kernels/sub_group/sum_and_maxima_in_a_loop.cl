// Reductions of all sub-groups, and then in a loop.
//! options: -cl-std=CL3.0
//! launch: 256 / 128
//! arg a: small_ints(G[0], int32)
//! arg out: zeros(G[0], int32)
//! arg n: 3
//| for group in range(G[0] // 8):
//|     row = a[group * 8 : group * 8 + 8].copy()
//|     row += row.sum()
//|     for k in range(n):
//|         row = row ^ (row.max() + k)
//|     out[group * 8 : group * 8 + 8] = row
__attribute__((intel_reqd_sub_group_size(8)))
kernel void sum_and_loop(global const int *a, global int *out, int n) {
    int i = get_global_id(0);
    int x = a[i];
    x += sub_group_reduce_add(x);
    for (int k = 0; k < n; k++) x ^= sub_group_reduce_max(x) + k;
    out[i] = x;
}
