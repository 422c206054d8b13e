// A short reduction by fmin, over which LLVM's vectorizer quarrels with itself.
//! launch: 8 / 4
//! launch: 4 / 1
//! sizes: any
//! arg a: small_ints(G[0] + 30).astype(float32)
//! arg out: zeros(G[0], float32)
//| for g in range(G[0]):
//|     out[g] = a[g:g + 31].min()
kernel void short_minimum(global const float *a, global float *out) {
    int g = get_global_id(0);
    float m = a[g];
    for (int i = 1; i < 31; ++i) m = fmin(m, a[g + i]);
    out[g] = m;
}
