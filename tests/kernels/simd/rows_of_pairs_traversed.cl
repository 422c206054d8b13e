// Rows of float2 and of double, in a nested loop: the outer loop determines where a row begins.
//! options: -cl-std=CL1.2
//! launch: 64 / 32
//! launch: 32 / 8
//! arg a: eighths((G[0], 3, 21, 2))
//! arg d: eighths((G[0], 3, 21), float64)
//! arg out: zeros(G[0], float64)
//! arg n: 21
//| for i in range(G[0]):
//|     for k in range(3):
//|         for j in range(n):
//|             out[i] += a[i, k, j, 0] * 2.0 + a[i, k, j, 1] + d[i, k, j] * k
kernel void rows_of_pairs_walked(global const float2 *a, global const double *d, global double *out, int n) {
    int i = get_global_id(0);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        int row = (i * 3 + k) * n;
        for (int j = 0; j < n; j++)
            sum += a[row + j].x * 2.0 + a[row + j].y + d[row + j] * k;
    }
    out[i] = sum;
}
