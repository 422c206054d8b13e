// Built-in functions store results through generic pointers to private, local and global memory, and load vectors.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 21 / 7
//! sizes: any
//! arg x: (arange(G[0] * 4, dtype=float32) - 9) / 4
//! arg out: zeros(G[0] * 8, dtype=float32)
//! arg n: zeros(G[0], dtype=int32)
//| v = x.reshape(-1, 4).copy()
//| o = out.reshape(-1, 8)
//| whole = floor(v[:, 0])
//| o[:, 0] = v[:, 0] - whole
//| o[:, 1] = whole
//| o[:, 2] = modf(v[:, 1])[0]
//| o[:, 3] = modf(v[:, 1])[1]
//| m, e = frexp(v[:, 2])
//| o[:, 4] = m
//| n[:] = e
//| o[:, 5:8] = v[:, 1:4] * 2
kernel void functions_of_generic_pointers(global float *x, global float *out, global int *n) {
    local float whole[1024];
    int i = get_global_id(0), l = get_local_id(0);
    float own;
    float *chosen = i % 3 == 0 ? (float *)&own : i % 3 == 1 ? (float *)(whole + l) : (float *)(out + i * 8 + 1);
    float4 v = vload4(i, (const float *)x);
    out[i * 8] = fract(v.x, chosen);
    out[i * 8 + 1] = *chosen;
    out[i * 8 + 2] = modf(v.y, chosen == &own ? chosen : (float *)(out + i * 8 + 3));
    if (chosen == &own)
        out[i * 8 + 3] = own;
    int exponent, *to = i % 2 ? (int *)&exponent : (int *)(n + i);
    out[i * 8 + 4] = frexp(v.z, to);
    if (i % 2)
        n[i] = exponent;
    float *behind = out + 5;
    vstore3(v.yzw * 2, 0, behind + i * 8);
}
