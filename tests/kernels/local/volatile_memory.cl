// Accesses to volatile memory are not independent: LLVM's vectorizer must leave the work-item loop alone.
//! launch: 64 / 16
//! arg a: small_ints(G[0], int32, 0, 9)
//| for g in a.reshape(-1, L[0]): g[:] = [2 * v + w + (x if 2 * v + w > 9 else 0) for v, w, x in zip(g.tolist(), g.reshape(-1, 2)[:, ::-1].ravel().tolist(), np.roll(g, -1).tolist())]
kernel void volatile_memory(global int *a) {
    local int t[64];
    volatile local int *v = t;
    int l = get_local_id(0), i = get_global_id(0), n = get_local_size(0);
    v[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 2 * v[l] + v[l ^ 1];
    if (sum > 9)
        sum += v[(l + 1) % n];
    a[i] = sum;
}
