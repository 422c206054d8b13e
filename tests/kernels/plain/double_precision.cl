// Doubles, a division and a square root.
//! launch: 24 / 8
//! arg a: rng.random(24) + 0.5
//! arg out: zeros(24)
//! tolerance: 1e-15
//| out[:] = sqrt(a) / (a + 1)
kernel void double_precision(global const double *a, global double *out) {
    int i = get_global_id(0);
    out[i] = sqrt(a[i]) / (a[i] + 1.0);
}
