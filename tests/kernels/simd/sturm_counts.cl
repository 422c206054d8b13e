// Two loops in a row that all work-items run equally often, about the components of a vector.
//! launch: 32 / 16
//! launch: 14 / 7
//! arg counts: zeros(G[0], uint32)
//! arg intervals: eighths((G[0], 2))
//! arg diagonal: eighths(G[0])
//! arg beside: (eighths(G[0]) % 1 + 0.5).astype(float32)
//! arg n: G[0]
//| def below(x):
//|     pivot = (diagonal[0] - x).astype(float32); count = (pivot < 0).astype(int64)
//|     for k in range(1, n):
//|         pivot = (diagonal[k] - x - beside[k - 1] * beside[k - 1] / pivot).astype(float32); count += pivot < 0
//|     return count
//| with np.errstate(all="ignore"): counts[:] = (below(intervals[:, 1]) - below(intervals[:, 0])) % 2**32
uint below(global const float *diagonal, global const float *beside, uint n, float x) {
    uint count = 0;
    float pivot = diagonal[0] - x;
    count += pivot < 0.0f;
    for (uint k = 1; k < n; k++) {
        pivot = diagonal[k] - x - beside[k - 1] * beside[k - 1] / pivot;
        count += pivot < 0.0f;
    }
    return count;
}
kernel void sturm_counts(global uint *counts, global const float2 *intervals, global const float *diagonal,
                         global const float *beside, uint n) {
    uint i = get_global_id(0);
    float2 interval = intervals[i];
    counts[i] = below(diagonal, beside, n, interval.y) - below(diagonal, beside, n, interval.x);
}
