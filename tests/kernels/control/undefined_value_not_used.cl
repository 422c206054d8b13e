// A variable that is undefined on some paths is used only where it was set.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 3
//| a[:] = where(a > 0, a * 2, 0)
kernel void undefined_value_not_used(global int *a, int n) {
    int i = get_global_id(0), v;
    for (int k = 0; k < n; k++) {
        if (k == 1) v = a[i] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = a[i] > 0 ? v : 0;
}
