// Consecutive numbers computed from a value that only some work-items load, and used in an inner loop.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0])
//! arg b: small_ints(G[0], low=1, high=10)
//! arg n: array([4, 2, 5, 1, 3, 2, 7, 2, 9, 2], int32)
//| t = arange(G[0]) + n[0]
//| inside = b > 4
//| out[:] = where(a > 0, t + where(inside, t * b + n[b], 1), 0)
kernel void in_line_from_one_load(global int *out, global const int *a, global const int *b,
                                  global const int *n) {
    int gid = get_global_id(0);
    if (a[gid] > 0) {
        int t = gid + n[0];
        int r = 1;
        if (b[gid] > 4)
            r = t * b[gid] + n[b[gid]];
        out[gid] = t + r;
    }
}
