// Values defined before a loop are used after it; some work-items skip the loop or run no iteration.
//! launch: 64 / 32
//! launch: 50 / 25
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 24)
//! arg table: (arange(32) * 3 % 11).astype(int32)
//! arg out: zeros((3, G[0]), int32)
//! arg n: 7
//| for i, v in enumerate(a.tolist()):
//|     base, extra = int(table[v % 32]) * 2, int(table[n])
//|     if v % 5 == 0: out[2, i] = base; continue
//|     if v % 2: extra += int(table[3])
//|     s, k = base, 0
//|     while s < 90 and k < v:
//|         s += int(table[(i + k) % 32]) + extra % 4
//|         k += 1
//|     out[0, i], out[1, i] = s + base, k * extra
kernel void kept_across_rounds(global const int *a, global const int *table, global int *out, int n) {
    int i = get_global_id(0), g = get_global_size(0), v = a[i];
    int base = table[v % 32] * 2, extra = table[n];
    if (v % 5 == 0) {
        out[2 * g + i] = base;
        return;
    }
    if (v % 2) extra += table[3];
    int s = base, k = 0;
    while (s < 90 && k < v) {
        s += table[(i + k) % 32] + extra % 4;
        k++;
    }
    out[i] = s + base;
    out[g + i] = k * extra;
}
