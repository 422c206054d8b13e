// Gotos make a loop with barriers, which all work-items run alike.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 3
//| g = a.reshape(-1, L[0])
//| for k in range(n): g[:] = np.roll(g, -1, axis=1) + k
kernel void goto_with_barriers(global int *a, int n) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0), k = 0, v = a[i];
again:
    if (k >= n) goto done;
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = t[(l + 1) % items] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    k++;
    goto again;
done:
    a[i] = v;
}
