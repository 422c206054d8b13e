// The sine and the cosine of one angle, small and huge, in a loop, in a branch and as vectors.
//! launch: 32 / 16
//! launch: 10 / 5
//! sizes: any
//! arg a: (eighths(G[0]) * 37 - 5).astype(float32) * where(arange(G[0]) % 5 == 0, 1e9, 1).astype(float32)
//! arg out: zeros((G[0], 4), float32)
//! arg n: int32(3)
//! tolerance: 1e-5
//| x = a.astype(float64)
//| for k in range(n): out[:, 0] += 3 + sin((a * float32(k + 1)).astype(float64)) + cos((a * float32(k + 1)).astype(float64))
//| out[:, 1] = where(a > 0, 3 + cos(x) - sin(x), 3 + sin(x))
//| out[:, 2] = 2 + sin(x); out[:, 3] = 2 + cos(x)
kernel void sine_and_cosine(global const float *a, global float4 *out, int n) {
    int i = get_global_id(0);
    float x = a[i], sum = 0;
    for (int k = 0; k < n; k++) {
        float angle = x * (k + 1);
        sum += 3 + (sin(angle) + cos(angle));
    }
    float2 two = (float2)(x, 0), both = (float2)(2 + sin(two).x, 2 + cos(two).x);
    float other = 3;
    if (x > 0)
        other += cos(x) - sin(x);
    else
        other += sin(x);
    out[i] = (float4)(sum, other, both);
}
