// fma rounds once, and a product that is too large for a float is finite with an infinite summand.
//! launch: 8 / 4
//! arg a: array([1e30, 1e30, -1e30, inf, 1.0000001, 3e38, 2.0, 1e-30], float32)
//! arg b: array([1e30, 1e30, 1e30, 2.0, 1.0000001, 2.0, -0.0, 1e-30], float32)
//! arg c: array([-inf, inf, inf, 7.0, -1.0000002, -3e38, -0.0, 0.0], float32)
//! arg out: zeros(8, float32)
//| out[:] = array([-inf, inf, inf, inf, float32(2.0**-46), 3e38, -0.0, 0.0], float32)
kernel void fused_products(global const float *a, global const float *b, global const float *c, global float *out) {
    size_t i = get_global_id(0);
    out[i] = fma(a[i], b[i], c[i]);
}
