// All work-items of a branch break out of the loop at once; the others, which do not take the branch, stay.
//! launch: 40 / 20
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg stop: array([0, 1, 0, 0, 3, 0, 3, 3, 3, 3, 3, 3], int32)
//! arg b: zeros(3 * G[0], int32)
//! arg n: 10
//| for i, v in enumerate(a.tolist()):
//|     if v % 3 == 0: continue
//|     k = 0
//|     while k < n:
//|         if v % 4 <= k % 4:
//|             b[3 * i] += k
//|             if stop[k] == 3: break
//|         k += 1
//|     if k < n:
//|         b[3 * i + 2] = k
//|         if v < 8: continue
//|     b[3 * i + 1] = k
kernel void uniform_break_under_branch(global const int *a, constant int *stop, global int *b, int n) {
    int i = get_global_id(0), v = a[i], k;
    if (v % 3) {
        for (k = 0; k < n; k++) {
            if (v % 4 <= k % 4) {
                b[3 * i] += k;
                if (stop[k] == 3) {
                    b[3 * i + 2] = k;
                    if (v < 8) return;
                    goto found;
                }
            }
        }
    found:
        b[3 * i + 1] = k;
    }
}
