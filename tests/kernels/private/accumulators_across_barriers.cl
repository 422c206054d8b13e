// Sums in a private array, whose elements are named by numbers, by the counter of a long loop body, or backwards.
//! launch: (64, 8) / (16, 4)
//! sizes: (7, 5)
//! arg a: eighths(8 * G[0])
//! arg out: zeros(12 * G[0] * G[1], float32)
//! arg t: L[0] * L[1] * 4
//! arg n: int32(G[0])
//| at = lambda k: np.arange(G[0]) // L[0] * L[0] + k % L[0]
//| sums = [a.reshape(8, -1)[:, at(k)].sum(axis=0)[None, :] * (k + 1) for k in range(12)]
//| out[:] = np.array([row + np.arange(G[1])[:, None] for row in sums]).reshape(-1)
kernel void accumulators_across_barriers(global const float *a, global float *out, local float *t, int n) {
    int l = get_local_id(0), w = get_local_size(0), x = get_global_id(0), y = get_global_id(1);
    float c[12];
    for (int k = 0; k < 12; k++) c[k] = 0;
    local float *row = t + get_local_id(1) * w;
    for (int r = 0; r < 8; r++) {
        row[l] = a[r * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        c[0] += row[0]; c[1] += row[1 % w]; c[2] += row[2 % w]; c[3] += row[3 % w];
        c[4] += row[4 % w]; c[5] += row[5 % w]; c[6] += row[6 % w]; c[7] += row[7 % w];
        c[8] += row[8 % w]; c[9] += row[9 % w]; c[10] += row[10 % w]; c[11] += row[11 % w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int at = y * n + x, step = n * (int)get_global_size(1);
    for (int k = 11; k >= 0; k--) {
        float v = c[k];
        v = v * (float)(k + 1) + (float)y;
        out[k * step + at] = v;
    }
}
