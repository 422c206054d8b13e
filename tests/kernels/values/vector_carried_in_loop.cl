// An int16 and a float3 are carried round a barrier loop.
//! launch: 8 / 4
//! sizes: any
//! arg a: small_ints((G[0], 16))
//! arg b: eighths((G[0], 4))
//! arg n: 3
//| g = a.reshape(-1, L[0], 16)
//| for k in range(n):
//|     g[:] = g[:, ::-1] + k
//|     b[:, :3] = b[:, [1, 2, 0]] * 2
//| b[:, 3] = 0
kernel void vector_carried_in_loop(global int16 *a, global float4 *b, int n) {
    local int16 t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int16 v = a[i];
    float3 w = b[i].xyz;
    for (int k = 0; k < n; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[items - 1 - l] + k;
        w = w.yzx * 2.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
    b[i] = (float4)(w, 0.0f);
}
