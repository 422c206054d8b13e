// More calls than are inlined, of double, half and vectors, one of them with a result through a pointer.
//! launch: 32 / 16
//! arg a: (eighths(G[0]) % 3 + 0.5).astype(float64)
//! arg d: zeros(G[0])
//! arg h: zeros(G[0], float16)
//! arg v: zeros((G[0], 4), float32)
//! arg parts: zeros(G[0], int32)
//! arg n: int32(2)
//! tolerance: 0.005
//| for i in range(G[0]):
//|     for k in range(n):
//|         x, z = a[i] + k, float32(a[i]) + k + arange(4) * 0.25
//|         for c in range(5):
//|             d[i] += 2 + sin(x + c) + tan(0.25 * cos(x * c)) + x ** (c + 0.5) + (x * (c + 0.25)) % 1
//|             h[i] += float16(sin(x + c)) + float16(2)
//|             v[i] += 2 + sin(z + c) + z ** (c + 0.5)
//|             parts[i] += int(x * (c + 0.25))
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define STEP(c) \
    x += 2 + sin(p + c) + tan(0.25 * cos(p * c)) + pow(p, c + 0.5) + fract(p * (c + 0.25), &whole); \
    y += sin((half)(p + c)) + 2; \
    z += 2 + sin(q + c) + pow(q, c + 0.5f); \
    sum += (int)whole;
kernel void many_calls_of_each_type(global const double *a, global double *d, global half *h,
                                    global float4 *v, global int *parts, int n) {
    int i = get_global_id(0), sum = 0;
    double x = 0, whole;
    half y = 0;
    float4 z = 0;
    for (int k = 0; k < n; k++) {
        double p = a[i] + k;
        float4 q = (float)p + 0.25f * (float4)(0, 1, 2, 3);
        STEP(0) STEP(1) STEP(2) STEP(3) STEP(4)
    }
    d[i] = x;
    h[i] = y;
    v[i] = z;
    parts[i] = sum;
}
