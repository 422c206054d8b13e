// The loop ends by a break between its two barriers, which all work-items take together.
//! launch: 16 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//! arg n: 9
//! arg stop: 4
//| g = a.reshape(-1, L[0])
//| for k in range(4): g[:] = np.roll(g, -1, axis=1) + 1
//| g += 100
kernel void uniform_break(global int *a, int n, int stop) {
    local int t[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    int v = a[i];
    for (int k = 0; k < n; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == stop) {
            v += 100;
            break;
        }
        v = t[(l + 1) % items] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = v;
}
