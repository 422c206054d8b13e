// Vectors of three are packed in arrays of scalars, and padded to four elements in arrays of vectors.
//! launch: 48 / 24
//! launch: 15 / 5
//! sizes: any
//! arg a: eighths((G[0], 3))
//! arg b: eighths((G[0], 4))
//! arg out: zeros((G[0], 3), float32)
//| s = zeros((G[0], 3), float32)
//| for k in range(3): s = s * 0.5 + a * b[:, :3][:, [1, 2, 0]]
//| out[:] = s
kernel void vector_of_three(global const float *a, global const float3 *b, global float *out) {
    int i = get_global_id(0);
    float3 v = vload3(i, a), s = (float3)(0.0f);
    for (int k = 0; k < 3; k++)
        s = s * 0.5f + v * b[i].yzx;
    vstore3(s, i, out);
}
