// Pointers cycle through a private array from a varying start, and are compared with its start and its end.
// LLVM's `instcombine` makes invalid code of these comparisons if they are of vectors of pointers.
//! options: -cl-std=CL3.0
//! launch: 5 / 5
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 50)
//! arg out: zeros(G[0], int32)
//| for x in range(G[0]):
//|     v, w = int8(a[x] + arange(5)), int8(a[x] - arange(5))
//|     p, q = a[x] % 5, 2 if a[x] & 1 else 1
//|     if a[x] & 2:
//|         w[a[0] & 3] = 97
//|     if p == q:
//|         continue
//|     for c in range(7):
//|         t = (q + c) % 5
//|         v[t] = np.int64(3 * int(v[t]) + c).astype(int8)
//|         if w[2] > 25:
//|             v[q] = np.int64(3 * int(v[p]) + 12).astype(int8)
//|     out[x] = v[p] + 1000 * (p < q) + 10000 * p
__kernel void round_to_the_start(__global const int *a, __global int *out) {
    int x = get_global_id(0);
    char v[5], w[5];
    for (int i = 0; i < 5; i++) {
        v[i] = a[x] + i;
        w[i] = a[x] - i;
    }
    char *p = v + (uint)a[x] % 5u, *q = v + ((a[x] & 1) ? 2 : 1), *s = q, *t = q;
    for (int c = 0; c < 13; c++) {
        if (a[x] & 2)
            w[a[0] & 3] = 97;
        s = s == v ? v + 4 : s - 1;
    }
    if (p == q)
        return;
    for (int c = 0; c < 7; c++) {
        *t = (char)(*t * 3 + c);
        if (w[2] - 20 > 5)
            *q = *p * 3 + 12;
        if (++t == v + 5)
            t = v;
    }
    out[x] = *p + 1000 * (p < q) + 10000 * (int)(p - v);
}
