// Vectors are split into components and assembled again, in a loop with a uniform trip count.
//! launch: 32 / 16
//! launch: 33 / 11
//! sizes: 8, 64, (7, 5), (4, 4, 4), 1024
//! arg a: eighths((G[0], 4))
//! arg out: zeros((G[0], 4), float32)
//| s = zeros(G[0], float32); r = zeros((G[0], 4), float32)
//| for j in range(8):
//|     d = a[j] - a
//|     s = d[:, 0] * d[:, 1] + d[:, 2]
//|     r[:, :3] += s[:, None] * d[:, :3]
//|     r[:, 3] = r[:, 0] + d[:, 3]
//| out[:] = r[:, [3, 1, 0, 2]]
kernel void float4_apart(global const float4 *a, global float4 *out) {
    int i = get_global_id(0);
    float4 p = a[i], r = (float4)(0.0f);
    for (int j = 0; j < 8; j++) {
        float4 d = a[j] - p;
        float s = d.x * d.y + d.z;
        r.xyz += s * d.xyz;
        r.w = r.x + d.w;
    }
    out[i] = r.wyxz;
}
