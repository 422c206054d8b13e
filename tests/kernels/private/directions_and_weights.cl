// Constant and computed arrays of nine elements, walked through by a long loop body and read by a varying index.
//! launch: 32 / 16
//! launch: 35 / 7
//! sizes: any
//! arg a: abs(eighths((9, G[0]))) + float32(1)
//! arg b: zeros((9, G[0]), float32)
//! arg picked: zeros(G[0], int32)
//! tolerance: 1e-5
//| w = array([4, 1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25], float32) / 9
//| cx = array([0, 1, 0, -1, 0, 1, -1, -1, 1]); cy = array([0, 0, 1, 0, -1, 1, 1, -1, -1])
//| q = a.astype(float64)
//| r = q.sum(0); u = (q * cx[:, None]).sum(0) / r; v = (q * cy[:, None]).sum(0) / r
//| c = 3 * (cx[:, None] * u + cy[:, None] * v)
//| b[:] = q + 0.6 * (r * w[:, None] * (1 + c + 0.5 * c * c - 1.5 * (u * u + v * v)) - q) + 9
//| picked[:] = cx[arange(G[0]) % 9] * 10 + cy[arange(G[0]) % 9]
kernel void directions_and_weights(global const float *a, global float *b, global int *picked) {
    int i = get_global_id(0), n = get_global_size(0);
    float r = 0, q[9], w[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (int k = 0; k < 9; k++) {
        q[k] = a[k * n + i];
        r += q[k];
    }
    float u = (q[1] + q[5] + q[8] - q[3] - q[6] - q[7]) / r, v = (q[2] + q[5] + q[6] - q[4] - q[7] - q[8]) / r;
    for (int k = 0; k < 9; k++) {
        float c = 3 * (cx[k] * u + cy[k] * v);
        b[k * n + i] = q[k] + 0.6f * (r * w[k] * (1 + c + 0.5f * c * c - 1.5f * (u * u + v * v)) - q[k]) + 9;
    }
    picked[i] = cx[i % 9] * 10 + cy[i % 9];
}
