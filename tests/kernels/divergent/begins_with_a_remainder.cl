// The lanes of a loop access consecutive elements, from an index computed before the loop with a remainder.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 60, low=0, high=6)
//! arg c: array([48], int32)
//! arg w: array([3], int32)
//| for i in range(G[0]):
//|     first = i % c[0] + w[0]
//|     out[i] = a[first : first + a[i]].sum() + a[: a[i]].sum()
kernel void begins_with_a_remainder(global int *out, global const int *a, global const int *c,
                                    global const int *w) {
    int gid = get_global_id(0);
    int first = gid % c[0] + w[0];
    int sum = 0;
    for (int y = 0; y < a[gid]; y++)
        sum += a[first + y] + a[y];
    out[gid] = sum;
}
