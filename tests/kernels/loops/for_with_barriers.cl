// A for loop with two barriers; the trip count is an argument, also 0 and 1.
//! launch: 24 / 8
//! launch: 7 / 7
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 0 if G[0] == 7 else 5
//! arg t: L[0] * 4
//| g = a.reshape(-1, L[0])
//| for k in range(n): g[:] = np.roll(g, -1, axis=1) + k
kernel void for_with_barriers(global int *a, int n, local int *t) {
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[(l + 1) % get_local_size(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v + k;
    }
    a[i] = t[l];
}
