// Three-component vectors packed in memory.
//! launch: 10 / 5
//! sizes: any
//! arg a: eighths((G[0], 3))
//! arg out: zeros((G[0], 3), float32)
//| out[:] = a[:, [1, 2, 0]]
kernel void vload_vstore3(global const float *a, global float *out) {
    int i = get_global_id(0);
    float3 v = vload3(i, a);
    vstore3(v.yzx, i, out);
}
