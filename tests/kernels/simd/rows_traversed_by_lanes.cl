// Each work-item traverses its own row, of a length that only the launch knows: pieces of rows are
// loaded and transposed, and the remainder is gathered.
//! launch: 64 / 32
//! launch: 32 / 8
//! launch: 96 / 16
//! launch: 40 / 40
//! launch: 130 / 65
//! arg a: eighths((G[0], G[0] // 2 + 5))
//! arg x: eighths(G[0] // 2 + 5)
//! arg out: zeros(G[0], float32)
//! arg rows: G[0] - 3
//! arg n: G[0] // 2 + 5
//| for i in range(rows):
//|     for j in range(n):
//|         out[i] += a[i, j] * x[j]
kernel void rows_walked_by_lanes(
    global const float *a, global const float *x, global float *out, int rows, int n) {
    int i = get_global_id(0);
    if (i < rows) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        out[i] = sum;
    }
}
