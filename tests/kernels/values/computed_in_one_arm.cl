// A value that only some work-items compute before a barrier, and only these use after it.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| o = a.reshape(-1, L[0])[:, ::-1].reshape(-1)
//| a[:] = where(a > 0, a * a + 2 * o, -o)
kernel void computed_in_one_arm(global int *a) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), square;
    bool computed = a[i] > 0;
    if (computed) square = a[i] * a[i];
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (computed)
        a[i] = square + 2 * t[items - 1 - l];
    else
        a[i] = -t[items - 1 - l];
}
