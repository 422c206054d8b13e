// The lower half of numbers in private memory is sorted by conditional exchanges; the elements before the
// other one stay in registers. Lanes for which nothing changes keep their values.
//! launch: 64 / 32
//! launch: 21 / 7
//! arg a: small_ints((9, G[0]), int16)
//! arg out: zeros((9, G[0]), int16)
//! arg count: 9
//| b = a.copy()
//| for i in range(5):
//|     for j in range(i + 1, 9):
//|         low, high = minimum(b[i], b[j]), maximum(b[i], b[j])
//|         b[i], b[j] = low, high
//| out[:] = b
__kernel void half_sorted(__global const short *a, __global short *out, int count) {
    int x = get_global_id(0), n = get_global_size(0);
    short v[9];
    for (int c = 0; c < count; c++)
        v[c] = a[c * n + x];
    for (int i = 0; i < (count + 1) / 2; i++)
        for (int j = i + 1; j < count; j++)
            if (v[j] < v[i]) {
                short t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    for (int c = 0; c < count; c++)
        out[c * n + x] = v[c];
}
