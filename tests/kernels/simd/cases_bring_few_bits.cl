// Several cases set one number of which only the low bits are used.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int16)
//! arg a: small_ints(G[0], int16)
//! arg n: array([6, 3, 17, 5, 31, 17, 40], int32)
//! arg m: 70001
//| for c in n[1:]:
//|     more = {3: m, 17: m, 31: m, 40: 9}.get(c, a.astype(int32) * 3)
//|     out[:] = (out.astype(int32) * a + more).astype(int16)
kernel void cases_bring_few_bits(global short *out, global const short *a, global const int *n, int m) {
    int gid = get_global_id(0);
    short sum = 0;
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
        sum = (short)(sum * a[gid] + v);
    }
    out[gid] = sum;
}
