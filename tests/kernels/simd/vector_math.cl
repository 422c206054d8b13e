// Functions of the library are applied to vectors of every length in a loop.
//! launch: 32 / 16
//! launch: 10 / 5
//! sizes: any
//! arg a: (eighths((G[0], 16)) % 4 + 0.5).astype(float32)
//! arg out: zeros((G[0], 16), float32)
//! tolerance: 1e-5
//| x = a.astype(float64)
//| for k in range(2): x = exp(-x) + sqrt(x)
//| out[:] = x
//| out[:, :2] += sin(a[:, :2]); out[:, 2:5] += log(a[:, 2:5]); out[:, 8:] *= cos(a[:, 8:])
kernel void vector_math(global const float16 *a, global float16 *out) {
    int i = get_global_id(0);
    float16 v = a[i], x = v;
    for (int k = 0; k < 2; k++)
        x = exp(-x) + sqrt(x);
    x.s01 += sin(v.s01);
    x.s234 += log(v.s234);
    x.hi *= cos(v.hi);
    out[i] = x;
}
