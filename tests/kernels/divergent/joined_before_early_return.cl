// Some work-items return under a branch; the others join before the end, with the same values from
// different paths.
//! launch: 40 / 20
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg b: full(2 * G[0], -1, int32)
//! arg n: 10
//| for i, v in enumerate(a.tolist()):
//|     x = n
//|     if v % 5:
//|         b[2 * i] = v
//|         if v < 6: continue
//|         x = 9
//|     for k in range(v % 4):
//|         x = 7
//|         if v > 20: break
//|     else:
//|         b[2 * i + 1] = x
kernel void met_before_early_return(global const int *a, global int *b, int n) {
    int i = get_global_id(0), v = a[i], x = n;
    if (v % 5) {
        b[2 * i] = v;
        if (v < 6) return;
        x = 9;
    }
    for (int k = 0; k < v % 4; k++) {
        x = 7;
        if (v > 20) return;
    }
    b[2 * i + 1] = x;
}
