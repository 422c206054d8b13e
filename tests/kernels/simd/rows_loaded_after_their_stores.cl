// A work-item may load from its row what it stored in the iteration before: elements are gathered in order.
//! launch: 64 / 32
//! launch: 96 / 16
//! arg a: small_ints((G[0], 40))
//! arg b: small_ints((G[0], 40))
//! arg n: 40
//| for i in range(G[0]):
//|     for j in range(n - 1):
//|         a[i, j + 1] += a[i, j]
//|     for j in range(n - 1):
//|         b[i, j + 1] = j
//|         b[i, j] += 2
kernel void rows_walked_behind_their_stores(global int *restrict a, global int *restrict b, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n - 1; j++)
        a[i * n + j + 1] += a[i * n + j];
    for (int j = 0; j < n - 1; j++) {
        b[i * n + j + 1] = j;
        b[i * n + j] += 2;
    }
}
