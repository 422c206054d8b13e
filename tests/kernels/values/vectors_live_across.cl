// Vectors of 2, 3, 4, 8 and 16 elements live across a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: eighths((G[0], 16))
//! arg out: zeros((G[0], 16), float32)
//| out[:] = a[:, ::-1] * 2
//| out[:, :2] += a[:, :2]; out[:, :3] += a[:, :3]; out[:, :4] += a[:, :4]; out[:, :8] += a[:, :8]
kernel void vectors_live_across(global const float16 *a, global float16 *out) {
    int i = get_global_id(0);
    float16 v = a[i];
    float2 v2 = v.s01;
    float3 v3 = v.s012;
    float4 v4 = v.s0123;
    float8 v8 = v.lo;
    float16 r = v.sfedcba9876543210 * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    r.s01 += v2;
    r.s012 += v3;
    r.s0123 += v4;
    r.lo += v8;
    out[i] = r;
}
