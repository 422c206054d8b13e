// A loop that work-items leave by several cases of a switch, without having stored anything before.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0] + 20, low=0, high=40)
//! arg n: array([12], int32)
//| for i in range(G[0]):
//|     at = next((k for k in range(n[0]) if a[i + k] in (3, 17, 31)), n[0])
//|     out[i] = at * 100 + a[i : i + at].sum()
kernel void left_by_cases(global int *out, global const int *a, global const int *n) {
    int gid = get_global_id(0), sum = 0, k;
    for (k = 0; k < n[0]; k++) {
        int v = a[gid + k];
        switch (v) {
        case 3:
        case 17:
        case 31:
            goto found;
        default:
            break;
        }
        sum += v;
    }
found:
    out[gid] = k * 100 + sum;
}
