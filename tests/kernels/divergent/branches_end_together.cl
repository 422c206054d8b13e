// Two divergent branches that join in the same block; each work-item takes one of them.
//! launch: 40 / 20
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg b: zeros(2 * G[0], int32)
//! arg which: array([0, 1, 1, 0, 1, 0], int32)
//! arg n: 6
//| for i, v in enumerate(a.tolist()):
//|     x = 0
//|     for k in range(n):
//|         if which[k]:
//|             if v & 1: b[2 * i] += k + x
//|             x += i
//|         else:
//|             if v & 2: b[2 * i] += 3 * k - x
//|             x -= 7
//|     b[2 * i + 1] = x
kernel void branches_end_together(global const int *a, global int *b, constant int *which, int n) {
    int i = get_global_id(0), v = a[i], x = 0;
    for (int k = 0; k < n; k++) {
        int y;
        if (which[k]) {
            y = i;
            if (v & 1) b[2 * i] += k + x;
        } else {
            y = -7;
            if (v & 2) b[2 * i] += 3 * k - x;
        }
        x += y;
    }
    b[2 * i + 1] = x;
}
