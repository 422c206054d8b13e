// All work-items take the first of a loop's two exits at the same time, but join those that took the
// second, some of which return before.
//! launch: 40 / 20
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg b: zeros(3 * G[0], int32)
//! arg n: 10
//| for i, v in enumerate(a.tolist()):
//|     if v % 3 == 0: continue
//|     x = 9
//|     for k in range(n):
//|         b[3 * i] += k
//|         if v % 13 == k:
//|             b[3 * i] += 1
//|             x = 5
//|             break
//|     if x == 5 and i % 7 < 2: continue
//|     b[3 * i + 1] = x
//|     b[3 * i + 2] = x == 9
kernel void exits_met_before_early_return(global const int *a, global int *b, int n) {
    int i = get_global_id(0), v = a[i], x = 5;
    if (v % 3) {
        for (int k = 0; k < n; k++) {
            b[3 * i] += k;
            if (v % 13 == k) {
                b[3 * i] += 1;
                if (i % 7 < 2) return;
                goto found;
            }
        }
        b[3 * i + 2] = 1;
        x = 9;
    found:
        b[3 * i + 1] = x;
    }
}
