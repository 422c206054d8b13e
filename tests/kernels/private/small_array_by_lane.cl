// Private arrays of few elements, of which each work-item reads and writes others: also under conditions,
// with indices of all widths, in loops that work-items leave at different times, and arrays of arrays.
//! launch: 64 / 16
//! launch: 37 / 37
//! launch: 24 / 8
//! arg a: small_ints((8, G[0]), int32, 0, 64)
//! arg out: zeros((12, G[0]), int32)
//! arg d: zeros(G[0], float64)
//| for i in range(G[0]):
//|     t, b, m, f = [0] * 8, [0] * 16, [[0] * 2 for _ in range(4)], [0.5, 1.5, 2.5, 3.5]
//|     for k in range(8):
//|         v = int(a[k, i])
//|         t[v % 8] += v
//|         if v > 20:
//|             b[v % 16] = (b[v % 16] + v) % 100
//|         m[v % 4][0] += 1
//|         m[(v // 4) % 4][v % 2] += 2
//|         f[v % 4] += f[(v + 1) % 4]
//|     n = 0
//|     while n < 20 and t[n % 8] < 40:
//|         t[(n + a[0, i]) % 8] += n
//|         n += 1
//|     out[:8, i] = t
//|     out[8, i] = b[a[1, i] % 16] + 100 * b[a[2, i] % 16]
//|     out[9, i] = m[a[3, i] % 4][a[4, i] % 2]
//|     out[10, i] = n
//|     out[11, i] = sum(b)
//|     d[i] = f[a[5, i] % 4]
kernel void small_array_by_lane(global const int *a, global int *out, global double *d) {
    int i = get_global_id(0), items = get_global_size(0);
    int t[8];
    uchar b[16];
    short m[4][2];
    double f[4] = {0.5, 1.5, 2.5, 3.5};
    for (int k = 0; k < 8; k++) t[k] = 0;
    for (int k = 0; k < 16; k++) b[k] = 0;
    for (int k = 0; k < 8; k++) m[k / 2][k % 2] = 0;
    for (int k = 0; k < 8; k++) {
        int v = a[k * items + i];
        t[v & 7] += v;
        if (v > 20)
            b[(uchar)v % 16] = (b[v % 16] + v) % 100;
        m[v % 4][0] += 1;
        m[v / 4 % 4][v % 2] += 2;
        f[v % 4] += f[(v + 1) % 4];
    }
    int n = 0;
    while (n < 20 && t[n % 8] < 40) {
        t[(n + a[i]) % 8] += n;
        n++;
    }
    for (int k = 0; k < 8; k++) out[k * items + i] = t[k];
    int sum = 0;
    for (int k = 0; k < 16; k++) sum += b[k];
    out[8 * items + i] = b[a[items + i] % 16] + 100 * b[a[2 * items + i] % 16];
    out[9 * items + i] = m[a[3 * items + i] % 4][a[4 * items + i] % 2];
    out[10 * items + i] = n;
    out[11 * items + i] = sum;
    d[i] = f[a[5 * items + i] % 4];
}
