// Infinities and signed zeros go through reductions and scans as they are.
//! options: -cl-std=CL3.0
//! launch: 8 / 4
//! launch: 4 / 2
//! arg a: array([inf, -inf, 1, -1, -0.0, -0.0, -0.0, -0.0], float32)[:G[0]]
//! arg b: zeros((G[0], 3), float32)
//| g = a.reshape(-1, L[0])
//| b[:, 0] = where(a == 0, -inf, 1)
//| b[:, 1] = g.min(1).repeat(L[0])
//| b[:, 2] = maximum.accumulate(g, 1).ravel()
kernel void floating_point_extremes(global const float *a, global float *b) {
    int i = get_global_id(0);
    float sum = work_group_reduce_add(a[i]);
    b[i * 3] = a[i] == 0 ? 1 / sum : 1;
    b[i * 3 + 1] = work_group_reduce_min(a[i]);
    b[i * 3 + 2] = work_group_scan_inclusive_max(a[i]);
}
