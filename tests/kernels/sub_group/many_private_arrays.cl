// Sub-groups of four whose private arrays are together too large for the stack.
//! options: -cl-std=CL3.0
//! launch: 16 / 8
//! arg a: small_ints(G[0], int32, 0, 60)
//! arg out: zeros(G[0], int32)
//| out[:] = a.reshape(-1, 4).sum(1).repeat(4) + 15 * a
__attribute__((intel_reqd_sub_group_size(4)))
kernel void many_private_arrays(global const int *a, global int *out) {
    int i = get_global_id(0), x = a[i];
    int p[1900], q[1900], r[1900], s[1900], t[1900];
    for (int k = 0; k < 20; k++) {
        p[k * 90 + x] = x, q[k * 80 + x] = 2 * x, r[k * 70 + x] = 3 * x, s[k * 60 + x] = 4 * x;
        t[k * 50 + x] = 5 * x;
    }
    int sum = sub_group_reduce_add(p[x]);
    out[i] = sum + p[900 + x] + q[800 + x] + r[700 + x] + s[600 + x] + t[500 + x];
}
