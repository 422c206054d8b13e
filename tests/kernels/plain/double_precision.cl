// Doubles, a division and a square root.
//! launch: 24 / 8
//! sizes: any
//! arg a: rng.random(G[0]) + 0.5
//! arg out: zeros(G[0])
//! tolerance: 1e-15
//| out[:] = sqrt(a) / (a + 1)
kernel void double_precision(global const double *a, global double *out) {
    int i = get_global_id(0);
    out[i] = sqrt(a[i]) / (a[i] + 1.0);
}
