// A linear value at the exit of a loop reaches a phi that is linear, and one that varies.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(2 * G[0], int32)
//! arg a: small_ints(G[0])
//! arg u: array([1, 2, 0, 5, 9, 3, 1, 1], int32)
//! arg n: array([4], int32)
//| some = a > 2
//| out[: G[0]] = where(some, u[:5].sum() + u[4] + arange(G[0]), 0)
//| out[G[0] :] = where(some, u[4] + arange(G[0]), 0)
kernel void one_value_two_phis_in_line(global int *out, global const int *a, global const int *u,
                               global const int *n) {
    int gid = get_global_id(0);
    int mine = a[gid];
    if (mine > 2) {
        int x, y;
        for (int k = 0;; k++) {
            int v = u[k];
            int w = v + gid;
            if (v == 3) {
                x = mine;
                y = 7 + gid;
                break;
            }
            out[gid] += v;
            if (k == n[0]) {
                x = w;
                y = w;
                break;
            }
        }
        out[gid] += x;
        out[gid + get_global_size(0)] = y;
    }
}
