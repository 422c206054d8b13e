// Gravity between bodies, which come tile by tile through local memory.
//! launch: 32 / 8
//! sizes: 1, 3, 8, (7, 5)
//! arg bodies: concatenate([eighths((G[0], 3)), np.abs(eighths((G[0], 1)))], axis=1)
//! arg out: zeros((G[0], 4), float32)
//! tolerance: 2e-4
//| p, m = bodies[:, :3].astype(float64), bodies[:, 3].astype(float64)
//| d = p[None] - p[:, None]
//| r = (d * d).sum(axis=2) + 0.25
//| out[:, :3] = (d * (m / (r * sqrt(r)))[..., None]).sum(axis=1)
kernel void n_body_tile(global const float4 *bodies, global float4 *out) {
    local float4 tile[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), n = get_global_size(0);
    float4 me = bodies[i];
    float3 acceleration = (float3)(0.0f);
    for (int k = 0; k < n; k += items) {
        tile[l] = bodies[k + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < items; j++) {
            float3 d = tile[j].xyz - me.xyz;
            float r = dot(d, d) + 0.25f;
            acceleration += d * (tile[j].w / (r * sqrt(r)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = (float4)(acceleration, 0.0f);
}
