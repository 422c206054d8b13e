// Elements two, three and four apart, and in falling order, are loaded in loops.
//! launch: 64 / 32
//! launch: 14 / 7
//! sizes: any
//! arg a: small_ints(G[0] * 4 + 8)
//! arg n: G[0]
//! arg out: zeros(G[0], int32)
//| i = arange(G[0])
//| for k in range(3): out += a[2 * i + k] * 3 + a[3 * i + k] - a[4 * i + k + 1] + a[n - 1 - i + k] * (k + 1)
kernel void strided_and_reversed(global const int *a, int n, global int *out) {
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < 3; k++)
        s += a[2 * i + k] * 3 + a[3 * i + k] - a[4 * i + k + 1] + a[n - 1 - i + k] * (k + 1);
    out[i] = s;
}
