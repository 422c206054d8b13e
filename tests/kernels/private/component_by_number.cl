// Components of vectors are selected by numbers, of an argument and of the work-item; one is replaced.
//! launch: 64 / 16
//! launch: 21 / 7
//! arg a: small_ints((G[0], 4), float32, -9, 9)
//! arg out: zeros((G[0], 3), float32)
//! arg k: 2
//| v = 2 * a
//| i = arange(G[0])
//| out[:, 0] = v[:, k]
//| out[:, 1] = v[i, i & 3]
//| v[i, (i + k) % 4] = i
//| out[:, 2] = v.sum(axis=1)
__kernel void pick(__global const float4 *a, __global float *out, int k) {
    int i = get_global_id(0);
    float4 v = 2 * a[i];
    const float *components = (const float *)&v;
    out[3 * i] = components[k];
    out[3 * i + 1] = components[i & 3];
    ((float *)&v)[(i + k) % 4] = i;
    out[3 * i + 2] = dot(v, (float4)(1));
}
