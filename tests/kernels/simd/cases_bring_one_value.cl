// Several cases, the same for all work-items, bring one value to where others bring a different one for each.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: small_ints(G[0])
//! arg n: array([6, 3, 17, 5, 31, 17, 40], int32)
//! arg m: 6
//| for c in n[1:]:
//|     out[:] += {3: 6, 17: 6, 31: 6, 40: 9}.get(c, a * 3)
kernel void cases_bring_one_value(global int *out, global const int *a, global const int *n, int m) {
    int gid = get_global_id(0), sum = 0;
    for (int i = 1; i <= n[0]; i++) {
        int v;
        switch (n[i]) {
        case 3:
        case 17:
        case 31:
            v = m;
            break;
        case 40:
            v = 9;
            break;
        default:
            v = a[gid] * 3;
        }
        sum += v;
    }
    out[gid] = sum;
}
