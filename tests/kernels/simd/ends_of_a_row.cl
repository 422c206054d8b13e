// Work-items inside a row read both neighbours, those at its ends none: the loop is split by their numbers.
//! launch: 256 / 64
//! launch: 70 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, -9, 9)
//! arg out: zeros(G[0], int32)
//! arg n: G[0]
//| for i in range(G[0]):
//|     inside = 0 < i < G[0] - 1
//|     out[i] = a[i - 1] + 2 * a[i] + a[i + 1] if inside else 7 * a[i] - i
kernel void ends_of_a_row(global const int *a, global int *out, int n) {
    int i = get_global_id(0);
    if (i > 0 && i < n - 1)
        out[i] = a[i - 1] + 2 * a[i] + a[i + 1];
    else
        out[i] = 7 * a[i] - i;
}
