// Rows of bytes and of shorts are traversed together, from one column to another (inclusive), with a
// uniform branch in the loop and a divergent one.
//! launch: 64 / 32
//! launch: 32 / 32
//! launch: 96 / 16
//! arg a: small_ints((G[0], 53), uint8, 0, 200)
//! arg b: small_ints((G[0], 53), int16)
//! arg weight: small_ints(53)
//! arg out: zeros(G[0], int32)
//! arg first: G[0] // 16
//! arg last: 49
//| for i in range(G[0]):
//|     for j in range(first, last + 1):
//|         v = int(a[i, j]) * int(b[i, j])
//|         out[i] += v * weight[j] if weight[j] > 0 else v if v > 100 else 1
kernel void rows_walked_from_a_column_on(
    global const uchar *a, global const short *b, global const int *weight, global int *out, uint first, uint last) {
    size_t i = get_global_id(0);
    int sum = 0;
    for (uint j = first; j <= last; j++) {
        int v = a[i * 53 + j] * b[i * 53 + j];
        if (weight[j] > 0)
            sum += v * weight[j];
        else if (v > 100)
            sum += v;
        else
            sum++;
    }
    out[i] = sum;
}
