// Each work-item blurs a row of its own, and changes another in its place.
//! launch: 64 / 16
//! launch: 30 / 10
//! launch: 8 / 1
//! arg a: small_ints((G[0], 71))
//! arg out: zeros((G[0], 71), int32)
//! arg c: small_ints((G[0], 71), uint8)
//! arg n: 71
//! arg rows: G[0] - 2
//| i = slice(0, rows)
//| out[i, 2:n - 2] = sum(a[i, k:n - 4 + k] for k in range(5)) * 3
//| c[i, 1:] = c[i, 1:] // 2 + 5
kernel void rows_blurred(global const int *a, global int *out, global uchar *c, int n, int rows) {
    int i = get_global_id(0);
    if (i >= rows) return;
    for (int k = 2; k < n - 2; k++) {
        int at = i * n + k;
        out[at] = (a[at - 2] + a[at - 1] + a[at] + a[at + 1] + a[at + 2]) * 3;
    }
    for (uint k = 1; k < (uint)n; k++) c[(uint)(i * n) + k] = c[(uint)(i * n) + k] / 2 + 5;
}
