// Gotos make a loop with barriers, which all work-items run alike.
//! launch: 16 / 8
//! arg a: small_ints(16)
//! arg n: 3
//| g = a.reshape(-1, 8)
//| for k in range(n): g[:] = np.roll(g, -1, axis=1) + k
kernel void goto_with_barriers(global int *a, int n) {
    local int t[8];
    int l = get_local_id(0), i = get_global_id(0), k = 0, v = a[i];
again:
    if (k >= n) goto done;
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[(l + 1) & 7] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    k++;
    goto again;
done:
    a[i] = v;
}
