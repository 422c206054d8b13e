// Fast mathematics does not overflow between a number and its power: x^3 would be infinite or 0 here.
//! options: -cl-fast-relaxed-math
//! launch: 8 / 4
//! arg x: np.array([1e-16, 1e-20, 7e24, 1e22, 2.5, 1e-14, 3e13, 0.1], np.float32)
//! arg y: zeros((2, 8), float32)
//! tolerance: 1e-5
//| y[:] = [x.astype(float64) ** -1.5, x.astype(float64) ** -1.5]
kernel void powers(global const float *x, global float *y)
{
    int i = get_global_id(0);
    y[i] = pow(x[i], -1.5f);
    y[8 + i] = powr(x[i], -1.5f);
}
