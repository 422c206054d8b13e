// Rows are read, changed in place, and written to another matrix in the same loop.
//! launch: 64 / 32
//! launch: 32 / 8
//! launch: 96 / 16
//! arg a: small_ints((G[0], G[0] + 7))
//! arg b: small_ints((G[0], G[0] + 7), int64)
//! arg n: G[0] + 7
//| for i in range(G[0]):
//|     before = 0
//|     for j in range(n):
//|         old = int(a[i, j])
//|         a[i, j] = old * 3 + before
//|         b[i, j] = old - before
//|         before = old
kernel void rows_walked_and_written(global int *restrict a, global long *restrict b, int n) {
    int i = get_global_id(0);
    int before = 0;
    for (int j = 0; j != n; ++j) {
        int old = a[i * n + j];
        a[i * n + j] = old * 3 + before;
        b[i * n + j] = old - before;
        before = old;
    }
}
