// sincos with a pointer to a variable, an element of an array, local and global memory.
//! launch: 32 / 16
//! launch: 10 / 5
//! sizes: any
//! arg a: (eighths(G[0]) * 37 - 5).astype(float32) * where(arange(G[0]) % 5 == 0, 1e9, 1).astype(float32)
//! arg out: zeros((G[0], 4), float32)
//! arg cosines: zeros(G[0], float32)
//! arg n: int32(3)
//! tolerance: 1e-5
//| x = a.astype(float64)
//| for k in range(n):
//|     y = (a * float32(k + 1)).astype(float64)
//|     out[:, 0] += 3 + sin(y) + cos(y) * k
//| out[:, 1] = where(a > 0, 3 + cos(x) - sin(x), 3)
//| out[:, 2] = 4 + sin(x) * 2; out[:, 3] = 4 + cos(x) + sin(x)
//| cosines[:] = cos(x)
kernel void sines_by_pointer(global const float *a, global float4 *out, global float *cosines, int n) {
    local float tile[1024];
    int i = get_global_id(0), l = get_local_id(0);
    float x = a[i], sum = 0;
    for (int k = 0; k < n; k++) {
        float both[2];
        both[1] = sincos(x * (k + 1), both);
        sum += 3 + (both[1] + both[0] * k);
    }
    float other = 3;
    if (x > 0) {
        float cosine, sine = sincos(x, &cosine);
        other += cosine - sine;
    }
    float3 cosine3, sine3 = sincos((float3)(x, 1, x), &cosine3);
    float sine = sincos(x, tile + l);
    float again = sincos(x, cosines + i);
    out[i] = (float4)(sum, other, 4 + sine3.z + again, 4 + tile[l] + sine);
}
