// Only a break leaves the loop: work-items that continue rejoin the others at its end, before they reach the break.
//! launch: 64 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], int32)
//! arg a: zeros(G[0], int32)
//! arg b: small_ints(G[0] + 30, int32, 0, 8)
//! arg n: array([30], int32)
//| for i in range(G[0]):
//|     k = 0
//|     while True:
//|         if k < n[0] and b[i + k] > 3:
//|             out[i] += k
//|             k += 1
//|             continue
//|         a[i] -= k
//|         if k > 40: break
//|         a[i] ^= k * 5
//|         k += 3
//|     out[i] = out[i] * 100 + k
kernel void continue_in_endless_loop(global int *out, global int *a, global const int *b, global const int *n) {
    int i = get_global_id(0), k = 0, end = n[0];
    for (;;) {
        if (k < end)
            if (b[i + k] > 3) {
                out[i] += k;
                k += 1;
                continue;
            }
        a[i] -= k;
        if (k > 40)
            break;
        a[i] ^= k * 5;
        k += 3;
    }
    out[i] = out[i] * 100 + k;
}
