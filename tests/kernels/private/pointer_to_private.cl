// Pointers to private variables go to functions, are chosen at run time and live across a barrier.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| lo, hi = np.minimum(a, 7), np.maximum(a, 7)
//| lo, hi = where(a % 2 == 1, lo + 100, lo), where(a % 2 == 1, hi, hi + 100)
//| a[:] = lo * 2 - hi
void order(int *x, int *y) {
    if (*x > *y) {
        int swap = *x;
        *x = *y;
        *y = swap;
    }
}
kernel void pointer_to_private(global int *a) {
    int i = get_global_id(0), x = a[i], y = 7;
    int *chosen = (a[i] & 1) ? &x : &y;
    order(&x, &y);
    barrier(CLK_LOCAL_MEM_FENCE);
    *chosen += 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = x * 2 - y;
}
