// Work-items leave a loop by its condition, by a break before and after a store, or return from it.
//! launch: 40 / 20
//! launch: 33 / 11
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 40)
//! arg b: zeros(G[0], int32)
//| for i, v in enumerate(a.tolist()):
//|     s, k = 0, 0
//|     while k < v:
//|         k += 1
//|         if k % 4 == 3: continue
//|         if s > 90: break
//|         b[i] = s
//|         if (v ^ k) == 21: break
//|         if k == 17 and v % 2: s = None; break
//|         s += k
//|     if s is None: continue
//|     b[i] += s * 3
kernel void break_continue_return(global const int *a, global int *b) {
    int i = get_global_id(0), v = a[i], s = 0, k = 0;
    while (k < v) {
        k++;
        if (k % 4 == 3) continue;
        if (s > 90) break;
        b[i] = s;
        if ((v ^ k) == 21) break;
        if (k == 17 && v % 2) return;
        s += k;
    }
    b[i] += s * 3;
}
