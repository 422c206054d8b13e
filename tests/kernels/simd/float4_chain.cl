// Whole vectors are computed with, component by component, in a loop.
//! launch: 64 / 32
//! launch: 21 / 7
//! sizes: any
//! arg a: eighths((G[0], 4))
//! arg b: array([0.5, 0.25, -0.5, 1], float32)
//! arg out: zeros((G[0], 4), float32)
//! arg n: 5
//| x = a.copy()
//| for k in range(n): x = x * b + a
//| out[:] = x
kernel void float4_chain(global const float4 *a, float4 b, global float4 *out, int n) {
    int i = get_global_id(0);
    float4 x = a[i];
    for (int k = 0; k < n; k++)
        x = x * b + a[i];
    out[i] = x;
}
