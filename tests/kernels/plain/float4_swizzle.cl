// Vector arithmetic, swizzles and component writes.
//! launch: 16 / 4
//! sizes: any
//! arg a: eighths((G[0], 4))
//! arg out: zeros((G[0], 4), float32)
//| out[:] = a[:, ::-1] * 2
//| out[:, 1] = a.sum(axis=1)
kernel void float4_swizzle(global const float4 *a, global float4 *out) {
    int i = get_global_id(0);
    float4 v = a[i];
    float4 r = v.wzyx * 2.0f;
    r.y = v.x + v.y + v.z + v.w;
    out[i] = r;
}
