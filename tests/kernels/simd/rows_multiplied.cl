// Each work-item multiplies a row of bytes by a vector; rows have different lengths, and none has an end in common.
//! launch: 64 / 16
//! launch: 24 / 8
//! arg a: small_ints((G[0], 80), int8)
//! arg b: small_ints(80, int8)
//! arg length: arange(G[0], dtype=int32) % 67
//! arg out: zeros((3, G[0]), int64)
//! arg stride: 80
//| for i in range(G[0]):
//|     row, m = a[i].astype(int64), int(length[i])
//|     out[0, i] = (row * b).sum()
//|     out[1, i] = (row[:m] * b[:m]).sum()
//|     out[2, i] = 7 - (row[1:m] * row[:max(m - 1, 0)]).sum()
kernel void rows_multiplied(global const char *a, global const char *b, global const int *length,
                            global long *out, int stride) {
    int i = get_global_id(0), n = get_global_size(0), m = length[i];
    int whole = 0;
    for (int k = 0; k < stride; k++) whole += a[i * stride + k] * b[k];
    long part = 0;
    for (int k = 0; k < m; k++) part += a[i * stride + k] * b[k];
    long less = 7;
    for (int k = 1; k < m; k++) less -= a[i * stride + k] * a[i * stride + k - 1];
    out[i] = whole;
    out[n + i] = part;
    out[2 * n + i] = less;
}
