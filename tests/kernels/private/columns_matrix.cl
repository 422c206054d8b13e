// Matrices of each work-item in private memory, one of them initialized from a constant; two dimensions.
//! launch: 32 / 16
//! launch: 21 / 7
//! arg a: small_ints((16, G[0]), int64, -9, 9)
//! arg out: zeros((16, G[0]), int64)
//! arg times: 3
//| start = array([[1, 2, 0, 0], [0, 1, 3, 0], [0, 0, 1, 4], [5, 0, 0, 1]], int64)
//| for i in range(G[0]):
//|     r = start.copy()
//|     for t in range(times):
//|         r = r @ a[:, i].reshape(4, 4)
//|     out[:, i] = r.ravel()
__kernel void power(__global const long *a, __global long *out, int times) {
    int i = get_global_id(0), n = get_global_size(0);
    long m[4][4], p[4][4], r[4][4] = {{1, 2, 0, 0}, {0, 1, 3, 0}, {0, 0, 1, 4}, {5, 0, 0, 1}};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            m[y][x] = a[(4 * y + x) * n + i];
    for (int t = 0; t < times; t++) {
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) {
                long s = 0;
                for (int k = 0; k < 4; k++)
                    s += r[y][k] * m[k][x];
                p[y][x] = s;
            }
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                r[y][x] = p[y][x];
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            out[(4 * y + x) * n + i] = r[y][x];
}
