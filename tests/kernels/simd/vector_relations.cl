// Comparisons, selections and geometric functions of vectors that differ between work-items.
//! launch: 64 / 16
//! launch: 12 / 3
//! sizes: any
//! arg a: eighths((G[0], 4))
//! arg b: eighths((G[0], 4))
//! arg out: zeros((G[0], 4), float32)
//! arg flags: zeros((G[0], 4), int32)
//| for k in range(2):
//|     less = a < b + k
//|     flags += where(less, -1, 1)
//|     m = where(less, a, b)
//|     out[:, 0] += (a * b).sum(axis=1); out[:, 1] += less.any(axis=1); out[:, 2] += less.all(axis=1)
//|     out[:, 3] += m.max(axis=1)
kernel void vector_relations(global const float4 *a, global const float4 *b, global float4 *out, global int4 *flags) {
    int i = get_global_id(0);
    float4 x = a[i], y = b[i], sum = (float4)(0.0f);
    int4 f = (int4)(0);
    for (int k = 0; k < 2; k++) {
        int4 less = x < y + (float)k;
        float4 m = select(y, x, less);
        f += select((int4)(1), (int4)(-1), less);
        sum += (float4)(dot(x, y), any(less), all(less), fmax(fmax(m.x, m.y), fmax(m.z, m.w)));
    }
    out[i] = sum;
    flags[i] = f;
}
