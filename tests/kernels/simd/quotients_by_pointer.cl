// remquo with a pointer to a variable, an element of an array, local and global memory.
//! launch: 32 / 16
//! launch: 10 / 5
//! sizes: any
//! arg a: (eighths(G[0]) * 37 - 5).astype(float32) * where(arange(G[0]) % 5 == 0, 1e9, 1).astype(float32)
//! arg out: zeros((G[0], 4), float32)
//! arg quotients: zeros(G[0], int32)
//! arg n: int32(3)
//| def nearest(x, y):
//|     q = np.rint(x / y)
//|     return x - q * y, np.sign(q) * (np.abs(q) % 128)
//| x = a.astype(float64)
//| for k in range(n):
//|     r, q = nearest(x, k + 0.5)
//|     out[:, 0] += (r + q).astype(float32)
//| r, q = nearest(x, 3.0)
//| out[:, 1] = where(a > 0, 3 + r - q, 3)
//| out[:, 2] = r + nearest(x, 0.75)[1]; out[:, 3] = q + r
//| quotients[:] = q
kernel void quotients_by_pointer(global const float *a, global float4 *out, global int *quotients, int n) {
    local int tile[1024];
    int i = get_global_id(0), l = get_local_id(0);
    float x = a[i], sum = 0;
    for (int k = 0; k < n; k++) {
        int both[2];
        float r = remquo(x, k + 0.5f, both + 1);
        both[0] = both[1];
        sum += r + both[0];
    }
    float other = 3;
    if (x > 0) {
        int q;
        float r = remquo(x, 3.0f, &q);
        other += r - q;
    }
    int3 q3;
    float3 r3 = remquo((float3)(x, 1, x), (float3)(3, 2, 0.75f), &q3);
    float r = remquo(x, 3.0f, tile + l);
    float again = remquo(x, 3.0f, quotients + i);
    out[i] = (float4)(sum, other, r3.x + q3.z, tile[l] + (r + again) / 2);
}
